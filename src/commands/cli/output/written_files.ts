import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WrittenFile } from '../../../alerting/rules.ts'
import { createFolder } from '../../../history/output/create_folder.ts'
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

/**
 * Writes a file, which keeps its owner and mode. After a failed write, as on a full disk, it is as before: a part of a file,
 * as of rules, could be valid, too.
 * @throws {CommandError} for a FIFO or a device
 */
export function writeOutputFile(path: string, text: string): void {
  const before = statSync(path, { throwIfNoEntry: false })
  // Writing to another type may never end.
  const problem = before && fileTypeProblem(before)
  if (problem !== undefined) throw new CommandError(`${path} cannot be written: ${problem}`)
  const old = before && readFileSync(path)
  try {
    writeFileSync(path, text)
  } catch (failure) {
    if (old === undefined) rmSync(path, { force: true })
    else writeFileSync(path, old)
    // The error of a write has no path.
    throw failure instanceof Error ? Object.assign(failure, { path }) : failure
  }
}
