import { join } from 'node:path'
import type { WrittenFile } from '../../alerting/rules.ts'
import { createFolder } from '../../history/create_folder.ts'
import { writeOutputFile } from './output_file.ts'

/** Writes files to a folder, which is created, and prints their paths. A dry run only prints. */
export function writeFiles(folder: string, files: readonly WrittenFile[], dryRun: boolean): void {
  if (!dryRun) createFolder(folder)
  for (const { name, text } of files) {
    const path = join(folder, name)
    if (!dryRun) writeOutputFile(path, text)
    process.stdout.write(`${dryRun ? 'would write' : 'wrote'} ${path}\n`)
  }
}
