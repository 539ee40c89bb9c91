/** One line of stderr that tells what is going on; silent where stderr is not a terminal. */
export interface Progress {
  show(text: string): void
  /** Takes the line away, so that something else can be written. */
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
