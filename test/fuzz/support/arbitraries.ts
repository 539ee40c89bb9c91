import fc from 'fast-check'
import { mutateJson, parseTree, writeTree } from './json_tree.ts'

/** Texts that decoders are likely to treat in a special way. */
const ODD_TEXTS: readonly string[] = [
  ...[
    '',
    ' ',
    '\u0000',
    '\u007f',
    '\n',
    '\r\n',
    'a"b\\c',
    '\ud800',
    '\udfff',
    '\ufffd',
    '\ufeff',
    '\u00a0',
    '\u2028',
  ],
  ...'__proto__ constructor toString hasOwnProperty N/A NaN Infinity -0 1e999 0x10 <&> ]]> {"a":1}'.split(
    ' ',
  ),
  ...['x'.repeat(300), '😀'.repeat(150)],
]

/** JSON text of single values. Several are not valid for JSON.stringify, but for a parser. */
const ODD_VALUES: readonly string[] = [
  ...ODD_TEXTS.map((text) => JSON.stringify(text)),
  ...'null true false [] {} [[]] [null] 0 -0 -1 1.5 1E5 1e999 -1e999 1e-400 1e308 9007199254740993'.split(
    ' ',
  ),
  ...[
    '123456789012345678901234567890',
    '{"__proto__":{"id":"x"}}',
    '{"toString":1,"valueOf":2}',
    '{"length":1}',
  ],
  // Not JSON.
  ...['NaN', '-', '01', "'a'"],
]

export const oddText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...ODD_TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.double().map(String) },
)

const oddValue: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...ODD_VALUES) },
  { weight: 1, arbitrary: oddText.map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) },
)

const jsonMutation = fc.record({
  kind: fc.constantFrom('drop', 'repeat', 'replace', 'nest', 'rename', 'insert', 'copy'),
  at: fc.nat(),
  other: fc.nat(),
  count: fc.oneof(fc.constantFrom(1, 2), fc.integer({ min: 1, max: 300 })),
  name: oddText,
  value: oddValue,
})

/** JSON text: one of the seeds with a few changes to its values and members. Not always valid. */
export function mutatedJson(seeds: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...seeds), fc.array(jsonMutation, { minLength: 1, maxLength: 8 }))
    .map(([seed, mutations]) => {
      const roots = parseTree(seed)
      for (const mutation of mutations) mutateJson(roots, mutation)
      return writeTree(roots)
    })
}

/** Longer inputs would only make the tests slow. */
const MAX_CHARACTERS = 20_000

const textMutation = fc.record({
  kind: fc.constantFrom('insert', 'remove', 'repeat', 'replace', 'truncate'),
  /** Positions as shares of the text. */
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.oneof(fc.constantFrom(0, 1), fc.nat(40)),
  count: fc.oneof(fc.constantFrom(1, 2), fc.integer({ min: 1, max: 5000 })),
})

/** Text: one of the seeds with a few changes, of which `pieces` are inserted. */
export function mutatedText(seeds: readonly string[], pieces: readonly string[]): fc.Arbitrary<string> {
  const piece = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...pieces) },
    { weight: 1, arbitrary: oddText },
  )
  return fc
    .tuple(fc.constantFrom(...seeds), fc.array(fc.tuple(textMutation, piece), { maxLength: 8 }))
    .map(([seed, mutations]) => mutations.reduce((text, [how, by]) => changed(text, how, by), seed))
}

type TextMutation = typeof textMutation extends fc.Arbitrary<infer T> ? T : never

function changed(text: string, { kind, at, length, count }: TextMutation, piece: string): string {
  const start = Math.floor(at * text.length)
  const [before, part, after] = [
    text.slice(0, start),
    text.slice(start, start + length),
    text.slice(start + length),
  ]
  if (kind === 'truncate') return before
  const middle = {
    insert: `${piece}${part}`,
    remove: '',
    repeat: repeated(part === '' ? piece : part, count),
    replace: piece,
  }[kind]
  return `${before}${middle}${after}`.slice(0, MAX_CHARACTERS)
}

function repeated(part: string, count: number): string {
  return part.repeat(Math.min(count, Math.ceil(MAX_CHARACTERS / Math.max(part.length, 1))))
}

/** Text made of pieces only. */
export function textOfPieces(pieces: readonly string[], maxLength = 30): fc.Arbitrary<string> {
  return fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 4 })), { maxLength })
    .map((list) => list.join(''))
}
