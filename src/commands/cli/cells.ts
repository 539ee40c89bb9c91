const ZERO_WIDTH = /\p{M}|\u200d/u
const DOUBLE_WIDTH =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u

/** Width of a text in terminal cells. */
export function cells(text: string): number {
  let count = 0
  for (const character of text) count += ZERO_WIDTH.test(character) ? 0 : DOUBLE_WIDTH.test(character) ? 2 : 1
  return count
}

/** The beginning of a text that is wider than `maxWidth` cells, with an ellipsis. */
export function shorten(text: string, maxWidth: number): string {
  if (cells(text) <= maxWidth) return text
  const characters = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment)
  while (characters.length > 0 && cells(`${characters.join('')}…`) > maxWidth) characters.pop()
  return `${characters.join('')}…`
}
