/** Where a word of a list occurs in a text. */
export interface Match {
  readonly word: number
  readonly from: number
  readonly to: number
}

/**
 * Finds all occurrences of words in texts, by Aho and Corasick: in time linear in the text, whatever the number of words
 * is. Characters are bytes: 0 to 255.
 */
export function createMatcher(words: readonly string[]): (text: string) => Generator<Match> {
  const children = new Map<number, number>()
  const ends: number[][] = [[]]
  const add = (node: number, byte: number): number => {
    const key = node * BYTES + byte
    const known = children.get(key)
    if (known !== undefined) return known
    ends.push([])
    children.set(key, ends.length - 1)
    return ends.length - 1
  }
  for (const [index, word] of words.entries()) {
    let node = 0
    for (let at = 0; at < word.length; at += 1) node = add(node, word.charCodeAt(at))
    if (word !== '') ends[node]?.push(index)
  }
  const { next, suffixes } = linked(children, ends.length)

  return function* (text) {
    let node = 0
    for (let at = 0; at < text.length; at += 1) {
      node = next(node, text.charCodeAt(at))
      for (let end = node; end !== 0; end = suffixes[end] ?? 0)
        for (const word of ends[end] ?? [])
          yield { word, from: at + 1 - (words[word]?.length ?? 0), to: at + 1 }
    }
  }
}

const BYTES = 256

/** For each beginning of a word the longest other beginning that is its end. */
function linked(children: ReadonlyMap<number, number>, count: number) {
  const suffixes = new Int32Array(count)
  const next = (node: number, byte: number): number => {
    for (let at = node; ; at = suffixes[at] ?? 0) {
      const child = children.get(at * BYTES + byte)
      if (child !== undefined) return child
      if (at === 0) return 0
    }
  }
  // Shorter beginnings first: children were added after their parents, but words one after the other.
  const edges = [...children].map(([key, child]) => ({
    parent: Math.floor(key / BYTES),
    byte: key % BYTES,
    child,
  }))
  const depths = new Int32Array(count)
  for (const { parent, child } of edges) depths[child] = (depths[parent] ?? 0) + 1
  for (const { parent, byte, child } of edges.sort((a, b) => (depths[a.child] ?? 0) - (depths[b.child] ?? 0)))
    suffixes[child] = parent === 0 ? 0 : next(suffixes[parent] ?? 0, byte)
  return { next, suffixes }
}
