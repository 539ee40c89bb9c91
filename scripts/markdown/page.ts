import { readFileSync } from 'node:fs'
import type { RenderedFile } from '../../grafana/mixin/dashboards/build.ts'
import { replaceMarked } from './marked.ts'

/** A page of the repository with generated texts between its comments, by their names. The rest is written by hand. */
export function pageWith(path: string, texts: Readonly<Record<string, string>>): RenderedFile[] {
  const page = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
  const text = Object.entries(texts).reduce((done, [name, own]) => replaceMarked(path, done, name, own), page)
  return [{ path, text }]
}
