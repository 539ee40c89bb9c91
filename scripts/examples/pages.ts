import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findMarked, replaceMarked } from '../markdown/marked.ts'

/** The name of an example in a page, for {@link findMarked}. */
const markOf = (name: string) => `example ${name}`

/** The names of the examples whose blocks a page has. */
export function examplesIn(page: string): readonly string[] {
  return [...page.matchAll(/^<!-- example (\S+): begin -->$/gm)].map(([, name = '']) => name)
}

/** The pages with examples, from the root of the repository. */
export function pagesOf(root: string): readonly string[] {
  return globSync(['*.md', 'docs/*.md'], { cwd: root }).filter(
    (path) => examplesIn(readFileSync(join(root, path), 'utf8')).length > 0,
  )
}

/** The block of an example, with the line breaks around it. @throws if the page has no such block */
export function blockIn(page: string, name: string): string {
  return findMarked(page, markOf(name)).text
}

/** The page with another text in the block. @throws if the page has no such block */
export function withBlock(page: string, name: string, text: string): string {
  return replaceMarked(page, markOf(name), text)
}
