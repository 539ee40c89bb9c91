import { closeSync, constants, fstatSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WrittenFile } from '../../../alerting/rules.ts'
import { createFolder } from '../../../history/output/create_folder.ts'
import { fileTypeProblem } from '../../../values/files.ts'
import { Failed } from '../exit.ts'

/** Writes files to a folder, which is created, and prints their paths. A dry run only prints. */
export function writeFiles(folder: string, files: readonly WrittenFile[], dryRun: boolean): void {
  if (!dryRun) createFolder(folder)
  for (const { name, text } of files) {
    const path = join(folder, name)
    if (!dryRun) writeOutputFile(path, text)
    process.stdout.write(`${dryRun ? 'would write' : 'wrote'} ${path}\n`)
  }
}

const { O_CREAT, O_NONBLOCK, O_TRUNC, O_WRONLY } = constants

/** @throws {Failed} for other types than regular files: writing to a FIFO or a device may never end */
export function writeOutputFile(path: string, text: string): void {
  // Without O_NONBLOCK, opening a FIFO waits for a reader. O_TRUNC has no effect on other types.
  const file = opened(path)
  try {
    const problem = fileTypeProblem(fstatSync(file))
    if (problem !== undefined) throw new Failed(`${path} cannot be written: ${problem}`)
    writeFileSync(file, text)
  } finally {
    closeSync(file)
  }
}

function opened(path: string): number {
  try {
    return openSync(path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK, 0o666)
  } catch (cause) {
    // A FIFO without a reader, or a socket.
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENXIO')) throw cause
    throw new Failed(`${path} cannot be written: it is not a regular file`)
  }
}
