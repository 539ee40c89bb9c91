import { readFileSync } from 'node:fs'

/** The version of the package; the same relative path holds for the sources and for the built program. */
export function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
