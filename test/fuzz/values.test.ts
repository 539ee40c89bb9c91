import fc from 'fast-check'
import { expect } from 'vitest'
import { nodesPath } from '../../src/api/feed/feed.ts'
import { duration, flag, numeric, parseDuration, size } from '../../src/config/values/units.ts'
import { idProblem } from '../../src/values/names.ts'
import { mutatedText, textOfPieces } from './support/arbitraries.ts'
import { fuzz } from './support/fuzz.ts'

const QUANTITIES = ['30s', '5m', '500ms', '4w', '64MiB', '10 MB', '1GB', 'true', '12.5', '0']
const QUANTITY_PIECES = [...'0 9 . - + e ms s d w KiB GiB B ٣ 1e999'.split(' '), ...[' ']]

fuzz('durations, sizes, numbers and flags', {
  corpus: 'quantities',
  input: fc.oneof(mutatedText(QUANTITIES, QUANTITY_PIECES), textOfPieces(QUANTITY_PIECES)),
  runs: 50,
  check: (text) => {
    const values = [
      parseDuration(text),
      duration.safeParse(text).data,
      size.safeParse(text).data,
      numeric.safeParse(text).data,
    ]
    for (const value of values.filter((read) => read !== undefined)) {
      expect(Number.isFinite(value) && value >= 0).toBe(true)
    }
    const ms = duration.safeParse(text).data
    if (ms !== undefined) expect(Number.isSafeInteger(ms)).toBe(true)
    expect([true, false, undefined]).toContain(flag.safeParse(text).data)
  },
})

const IDS = ['urn:storageos:VirtualArray:b17d28fa-7fc3-465e-9f43-281e72a349eb', '10.4.0.101', 'a;b=c', 'Köln']
const ID_PIECES = ['/', '\\', '%', '%2e', '..', '?', '#', ';', ' ', '\t', '\u0085', 'é', '😀', ':']

fuzz('ids', {
  corpus: 'ids',
  input: fc.oneof(mutatedText(IDS, ID_PIECES), textOfPieces(ID_PIECES)),
  runs: 50,
  check: (id) => {
    if (idProblem(id) !== undefined) return
    const path = nodesPath(id)
    expect(new URL(path, 'https://host').pathname).toBe(path)
    expect(decodeURIComponent(path.split('/')[3] ?? '')).toBe(id)
  },
})
