import { hasControls } from './width.ts'

/** A progress line on a terminal; without a terminal nothing is written. */
export type Progress = ReturnType<typeof createProgress>

const CLEAR_LINE = '\r\u001b[2K'

export function createProgress(output: { isTTY?: boolean; write(text: string): unknown }) {
  const write = (text: string) => {
    if (hasControls(output)) output.write(text)
  }
  return {
    show: (text: string): void => write(`${CLEAR_LINE}${text}`),
    /** Removes the line, so that other output can be written. */
    clear: (): void => write(CLEAR_LINE),
  }
}
