import { parseRecording, type Recording } from '../../recording/format.ts'
import { errorText } from '../../values/errors.ts'
import { readTextFile } from '../../values/files.ts'
import { CommandError } from './exit.ts'

/** Reads a recording. @throws {CommandError} for a file that is not a recording */
export function readRecording(file: string): Recording {
  const read = readTextFile(file, 'recording')
  if ('problem' in read) throw new CommandError(`${file} ${read.problem}`)
  try {
    return parseRecording(read.text)
  } catch (failure) {
    if (!(failure instanceof RangeError)) throw failure
    throw new CommandError(`${file} is not a recording: ${errorText(failure)}`)
  }
}
