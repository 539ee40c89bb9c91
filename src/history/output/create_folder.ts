import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a folder and those above it; nothing happens if it is there. The recursive mkdir of Node.js never returns for
 * folders that refuse new files with ENOENT, as those below /proc do.
 * @throws {Error} the failed system call
 */
export function createFolder(path: string): void {
  if (isFolder(path)) return
  const parent = dirname(path)
  if (parent !== path) createFolder(parent)
  try {
    mkdirSync(path)
  } catch (failure) {
    // Another process may have created it meanwhile.
    if (!isFolder(path)) throw failure
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
