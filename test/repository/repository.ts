import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/** Paths of tracked files and of untracked files that are not ignored, without deleted ones. */
export function repositoryFiles(): readonly string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const { stdout, status, stderr } = spawnSync('git', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ls-files failed; test/repository needs a git clone: ${stderr}`)
  return stdout.split('\0').filter((path) => path !== '' && existsSync(path))
}

export function readText(path: string): string {
  return readFileSync(path, 'utf8')
}
