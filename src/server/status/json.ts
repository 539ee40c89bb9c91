import { setImmediate as nextTurn } from 'node:timers/promises'
import { visibleText } from '../../text.ts'

const PIECE_CHARACTERS = 64 * 1024
/** Levels that are written piece by piece: status, systems, system, pools, pool, nodes. Values below are small. */
const LEVELS = 6

/** JSON in pieces of about 64 KiB, with other requests between them. Invisible characters are escaped. */
export async function* jsonPieces(document: unknown): AsyncGenerator<string> {
  let piece = ''
  for (const part of parts(document, LEVELS)) {
    piece += part
    if (piece.length < PIECE_CHARACTERS) continue
    await nextTurn()
    yield piece
    piece = ''
  }
  yield `${piece}\n`
}

function* parts(value: unknown, levels: number): Generator<string> {
  if (levels === 0 || typeof value !== 'object' || value === null) return yield textOf(value)
  const isList = Array.isArray(value)
  yield isList ? '[' : '{'
  for (const [index, [name, item]] of Object.entries(value).entries()) {
    yield `${index > 0 ? ',' : ''}${isList ? '' : `${textOf(name)}:`}`
    yield* parts(item, levels - 1)
  }
  yield isList ? ']' : '}'
}

function textOf(value: unknown): string {
  return visibleText(JSON.stringify(value))
}
