import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Folder } from '../../support/folders.ts'
import { runCommand } from '../run_command.ts'

export const backfill = (...args: string[]) => runCommand(['backfill', ...args])

let files = 0
/** A run to a file of its own, with the text of it. */
export async function toText(folder: Folder, ...flags: string[]) {
  files += 1
  const file = join(folder.path, `run${files}.om`)
  const { code, stderr } = await backfill(...flags, `--output=${file}`)
  return { code, stderr, text: existsSync(file) ? readFileSync(file, 'utf8') : '' }
}

export const samplesIn = (text: string) =>
  text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
