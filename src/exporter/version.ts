import { readFileSync } from 'node:fs'

/** The version in package.json. The relative path is the same from src/ and dist/. */
export function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}
