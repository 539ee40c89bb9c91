import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { WrittenFile } from '../../../alerting/rules.ts'
import { createFolder } from '../../../history/output/create_folder.ts'
import { errorCode } from '../../../values/errors.ts'
import { fileTypeProblem } from '../../../values/files.ts'
import { CommandError } from '../exit.ts'

/** Writes files to a folder, which is created, and prints their paths. A dry run only prints. */
export function writeFiles(folder: string, files: readonly WrittenFile[], dryRun: boolean): void {
  if (!dryRun) createFolder(folder)
  for (const { name, text } of files) {
    const path = join(folder, name)
    if (!dryRun) writeOutputFile(path, text)
    process.stdout.write(`${dryRun ? 'would write' : 'wrote'} ${path}\n`)
  }
}

/** Writes a whole file or none: a part of a file, as of rules, could be valid, too. @throws {CommandError} for a FIFO or a device */
export function writeOutputFile(path: string, text: string): void {
  const before = statSync(path, { throwIfNoEntry: false })
  // Writing to another type may never end.
  const problem = before && fileTypeProblem(before)
  if (problem !== undefined) throw new CommandError(`${path} cannot be written: ${problem}`)
  try {
    // Replacing a file needs no permission to write to it.
    if (before !== undefined) accessSync(path, constants.W_OK)
    replaceFile(before === undefined ? path : realpathSync(path), text, before)
  } catch (failure) {
    // The error of a write has no path.
    throw failure instanceof Error ? Object.assign(failure, { path }) : failure
  }
}

/** A file that is mounted by itself cannot be replaced, nor one of another user, and a folder may refuse other files. */
const WRITTEN_IN_PLACE = ['EACCES', 'EBUSY', 'EPERM', 'EROFS']

/** @param before the file that is replaced, whose owner and mode are kept */
function replaceFile(path: string, text: string, before: Stats | undefined): void {
  const unfinished = `${path}.unfinished`
  try {
    // One may be left from a run that was killed. The flag refuses a link that another user has put there meanwhile.
    rmSync(unfinished, { force: true })
    writeFileSync(unfinished, text, { flag: 'wx', mode: before?.mode ?? 0o666 })
    if (before !== undefined) {
      chownSync(unfinished, before.uid, before.gid)
      chmodSync(unfinished, before.mode)
    }
    renameSync(unfinished, path)
  } catch (failure) {
    rmSync(unfinished, { force: true })
    if (!WRITTEN_IN_PLACE.includes(errorCode(failure))) throw failure
    writeFileSync(path, text)
  }
}
