import type { Steps } from '../../slices.ts'

/**
 * Characters that are parsed at once, in 60 ms at most: `JSON.parse` cannot be interrupted, and takes 4 µs for a member of
 * an object whose members are in an order that no object before had. A feed of 64 nodes is shorter.
 */
const PIECE_CHARACTERS = 300_000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c

/**
 * `JSON.parse` in pieces: of a list or an object that is longer than a piece, the members are parsed piece by piece.
 * @throws {SyntaxError}
 */
export function* parseSteps(text: string, pieceCharacters = PIECE_CHARACTERS): Steps<unknown> {
  if (text.length <= pieceCharacters) return JSON.parse(text)
  const pieces = createPieces(text)
  for (let index = nextMark(text, 0); index < text.length; index = nextMark(text, index + 1)) {
    const mark = text[index]
    if (mark === '[' || mark === '{') pieces.open(index)
    else if (mark === ',') pieces.separate(index)
    else pieces.close(index)
    if (index - pieces.from() < pieceCharacters) continue
    pieces.cut()
    yield
  }
  return pieces.end()
}

/** The index of the next bracket or comma outside of strings; the length of the text if there is none. */
function nextMark(text: string, start: number): number {
  for (let index = start; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) index = endOfString(text, index)
    else if (code === COMMA || isBracket(code)) return index
  }
  return text.length
}

/** Of `[ ] { }`, of which the codes of the braces have one bit more. */
function isBracket(code: number): boolean {
  const bracket = code & ~0x20
  return bracket === 0x5b || bracket === 0x5d
}

/** The index of the closing quote. */
function endOfString(text: string, start: number): number {
  let index = start + 1
  while (index < text.length && text.charCodeAt(index) !== QUOTE)
    index += text.charCodeAt(index) === BACKSLASH ? 2 : 1
  return index
}

type Container = unknown[] | Record<string, unknown>

/** A list or an object whose members are parsed in pieces. */
interface Parent {
  readonly value: Container
  /** Undefined for the whole text, which is read as a list of one value. */
  readonly outer: Parent | undefined
  /** Number of brackets around its members. */
  readonly depth: number
  /** Where its first member begins. */
  readonly begin: number
  /** Whether the last member is in `value`, so that a comma or the end must follow. */
  isComplete: boolean
}

/** Follows brackets and commas outside of strings, and parses the text between two cuts. */
function createPieces(text: string) {
  const top: unknown[] = []
  let parent: Parent = { value: top, outer: undefined, depth: 0, begin: 0, isComplete: false }
  /** By depth: the opening bracket, and the beginning of the current member. */
  const brackets = [0]
  const members = [0]
  let depth = 0
  /** Where the text begins that is not parsed yet. */
  let from = 0

  /** Parses the members before a comma or the end. */
  function take(end: number): void {
    const mayBeEmpty = text[end] !== ',' && from === parent.begin
    addMembers(parent, text.slice(from, end), mayBeEmpty)
    from = end + 1
  }

  /** Makes the outermost list or object within the parent the next parent. */
  function enter(): void {
    const bracket = brackets[parent.depth + 1] ?? 0
    parent = childOf(parent, text.slice(from, bracket + 1), bracket + 1)
    from = bracket + 1
  }

  return {
    from: () => from,
    open(index: number): void {
      depth += 1
      brackets[depth] = index
      members[depth] = index + 1
    },
    separate(index: number): void {
      members[depth] = index + 1
      if (depth === parent.depth && parent.isComplete) take(index)
    },
    close(index: number): void {
      if (depth === parent.depth) {
        if (parent.outer === undefined || Array.isArray(parent.value) !== (text[index] === ']'))
          throw new SyntaxError('the wrong bracket')
        take(index)
        parent = parent.outer
      }
      depth -= 1
    },
    cut(): void {
      const member = members[parent.depth] ?? 0
      if (member > from) take(member - 1)
      else if (depth > parent.depth) enter()
    },
    end(): unknown {
      if (depth > 0) throw new SyntaxError('a bracket is missing')
      take(text.length)
      if (top.length !== 1) throw new SyntaxError('not one value')
      return top[0]
    },
  }
}

function addMembers(parent: Parent, text: string, mayBeEmpty: boolean): void {
  const count = append(parent.value, text).length
  const isWrong = parent.isComplete ? count > 0 : count === 0 && !mayBeEmpty
  if (isWrong) throw new SyntaxError('a member or a comma is missing')
  parent.isComplete = false
}

/** Adds an empty list or object to a parent. @param text its name, if it has one, and its bracket */
function childOf(parent: Parent, text: string, begin: number): Parent {
  if (parent.isComplete) throw new SyntaxError('a comma is missing')
  const [value] = append(parent.value, `${text}${text.endsWith('[') ? ']' : '}'}`)
  parent.isComplete = true
  return { value: value as Container, outer: parent, depth: parent.depth + 1, begin, isComplete: false }
}

/** Adds the members of a text to a list or an object, and returns their values. @throws {SyntaxError} */
function append(target: Container, text: string): unknown[] {
  if (Array.isArray(target)) {
    const values: unknown[] = JSON.parse(`[${text}]`)
    for (const value of values) target.push(value)
    return values
  }
  const members: object = JSON.parse(`{${text}}`)
  const entries = Object.entries(members)
  // An assignment to __proto__ would not create a member.
  for (const [name, value] of entries)
    Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true })
  return entries.map(([, value]) => value)
}
