/** A progress line on a terminal; without a terminal nothing is written. */
export interface Progress {
  show(text: string): void
  /** Removes the line, so that other output can be written. */
  clear(): void
}

const CLEAR_LINE = '\r\u001b[2K'

export function createProgress(output: { isTTY?: boolean; write(text: string): unknown }): Progress {
  const write = (text: string) => {
    if (output.isTTY === true) output.write(text)
  }
  return {
    show: (text) => write(`${CLEAR_LINE}${text}`),
    clear: () => write(CLEAR_LINE),
  }
}
