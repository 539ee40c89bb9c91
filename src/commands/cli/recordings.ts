import { parseRecording, type Recording } from '../../recording/format.ts'
import { errorText } from '../../values/errors.ts'
import { readTextFile } from '../../values/files.ts'
import { Failed } from './exit.ts'

/** Reads a recording. @throws {Failed} for a file that is not a recording */
export function readRecording(file: string): Recording {
  const read = readTextFile(file, 'recording')
  if ('problem' in read) throw new Failed(`${file} ${read.problem}`)
  try {
    return parseRecording(read.text)
  } catch (failure) {
    if (!(failure instanceof RangeError)) throw failure
    throw new Failed(`${file} is not a recording: ${errorText(failure)}`)
  }
}
