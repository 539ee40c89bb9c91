/** The text between two comments of a page: `<!-- NAME: begin -->` and `<!-- NAME: end -->`. */
interface Marked {
  readonly before: string
  readonly text: string
  readonly after: string
}

/** @throws if the page lacks one of the comments */
function findMarked(path: string, page: string, name: string): Marked {
  const [begin, end] = [`<!-- ${name}: begin -->\n`, `<!-- ${name}: end -->\n`]
  const from = page.indexOf(begin) + begin.length
  const to = page.indexOf(end)
  if (!page.includes(begin) || to < from) {
    throw new Error(`${path}: add the lines ${begin.trim()} and ${end.trim()}`)
  }
  return { before: page.slice(0, from), text: page.slice(from, to), after: page.slice(to) }
}

/** The page with another text, which ends with a line break, between the comments. */
export function replaceMarked(path: string, page: string, name: string, text: string): string {
  const { before, after } = findMarked(path, page, name)
  return `${before}\n${text}\n${after}`
}
