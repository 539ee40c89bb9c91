/** A word that differs more from a name was probably not meant to be that name. */
const MAX_DIFFERENCE = 0.4
/** Names of settings are shorter. */
const MAX_CHARACTERS = 64
const MIN_PART = 3

/** The name that was probably meant: one with few different characters, or of which one is a part of the other. */
export function suggestion(word: string, names: readonly string[]): string | undefined {
  const text = plain(word)
  if (text.length > MAX_CHARACTERS) return undefined
  const [best] = names
    .map((name) => ({ name, difference: difference(text, plain(name)) }))
    .toSorted((a, b) => a.difference - b.difference)
  return best !== undefined && best.difference <= MAX_DIFFERENCE ? best.name : undefined
}

/** Removes case and separators: `baseURL` and `base-url` mean `base_url`. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** How different two texts are: 0 for equal ones. */
function difference(a: string, b: string): number {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  if (short.length >= MIN_PART && long.includes(short))
    return MAX_DIFFERENCE * (1 - short.length / long.length)
  return edits(a, b) / Math.max(short.length, 1)
}

/** The Levenshtein distance: characters to insert, delete or replace. */
function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [index, character] of [...a].entries()) {
    const next = [index + 1]
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (b[column - 1] === character ? 0 : 1)
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
