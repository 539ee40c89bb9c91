import { pause } from '../clients.ts'
import { BODY_BYTES, gzipResponse } from '../hostile_system.ts'
import type { Row } from '../row.ts'

/** A JSON body for the nodes of a pool. */
interface Body {
  readonly name: string
  readonly sent: string
  /** The text, with at most this many bytes. */
  readonly text: (bytes: number) => string
}

const SECONDS = 6
const BEGIN = '{"_embedded":{"instances":['
const END = ']}}'

/** A list of nodes: `element` repeated. */
function repeated(element: string) {
  return (bytes: number) => BEGIN + joined(element, bytes - BEGIN.length - END.length) + END
}

function joined(element: string, bytes: number): string {
  const count = Math.floor((bytes + 1) / (element.length + 1))
  return `${`${element},`.repeat(count - 1)}${element}`
}

/** A list of nodes, each made from its index. */
function numbered(element: (index: number) => string, begin = BEGIN, end = END) {
  return (bytes: number) => {
    const parts: string[] = []
    let left = bytes - begin.length - end.length
    for (let index = 0; left > 0; index += 1) {
      const part = element(index)
      left -= part.length + 1
      if (left > 0) parts.push(part)
    }
    return begin + parts.join(',') + end
  }
}

function nested(begin: string, inner: string, end: string) {
  return (bytes: number) => {
    const depth = Math.floor((bytes - inner.length) / (begin.length + end.length))
    return begin.repeat(depth) + inner + end.repeat(depth)
  }
}

const NODE_WITH_TYPES = `${BEGIN}{"id":"n","transactionErrorsCurrent":{"types":[`
const LONG_NAME_CHARACTERS = 3000
const COLONS = 100_000
const COLONS_AFTER_NAME = 500_000

const BODIES: readonly Body[] = [
  { name: 'colons', sent: `${COLONS.toLocaleString('en')} colons`, text: () => ':'.repeat(COLONS) },
  {
    name: 'colons-after-name',
    sent: `a name as long as fits, and ${COLONS_AFTER_NAME.toLocaleString('en')} colons`,
    text: (bytes) => `{"${'a'.repeat(bytes - COLONS_AFTER_NAME - 3)}"${':'.repeat(COLONS_AFTER_NAME)}`,
  },
  { name: 'blanks', sent: 'blanks', text: (bytes) => ' '.repeat(bytes) },
  { name: 'nested-lists', sent: '`[[[…]]]`', text: nested('[', '', ']') },
  { name: 'nested-objects', sent: '`{"a":{"a":…}}`', text: nested('{"a":', '1', '}') },
  { name: 'empty-lists', sent: 'a list of `[]`', text: repeated('[]') },
  { name: 'empty-objects', sent: 'a list of `{}`', text: repeated('{}') },
  { name: 'small-objects', sent: 'a list of `{"a":1}`', text: repeated('{"a":1}') },
  {
    name: 'many-keys',
    sent: 'one node with as many keys as fit',
    text: numbered((index) => `"k${index}":1`, `${BEGIN}{`, `}${END}`),
  },
  {
    name: 'distinct-keys',
    sent: 'objects with one key each, all different',
    text: numbered((index) => `{"k${index}":1}`),
  },
  { name: 'equal-nodes', sent: 'nodes with the same id', text: repeated('{"id":"n"}') },
  { name: 'many-nodes', sent: 'nodes with different ids', text: numbered((index) => `{"id":"n${index}"}`) },
  {
    name: 'error-types',
    sent: 'one node with as many error types as fit',
    text: numbered(
      (index) => `{"errorType":"e${index}","category":"User","errorCount":"${index}"}`,
      NODE_WITH_TYPES,
      `]}}${END}`,
    ),
  },
  {
    name: 'long-names',
    sent: `nodes with names of ${LONG_NAME_CHARACTERS.toLocaleString('en')} characters`,
    text: numbered(
      (index) =>
        `{"id":"n${index}","displayName":"${index}${'ü'.repeat(LONG_NAME_CHARACTERS)}","healthStatus":"Good"}`,
    ),
  },
]

/** Eight pools of one system answer with a compressed body that is just below the limit of its size. */
export const HOSTILE_BODIES: readonly Row[] = BODIES.map(({ name, sent, text }) => ({
  name: `body-${name}`,
  sent,
  setup: { hostile: true },
  seconds: SECONDS,
  async attack(target, signal) {
    target.hostile().use({ nodes: gzipResponse(text(Math.floor(BODY_BYTES))) })
    await pause(SECONDS * 1000, signal)
    return undefined
  },
}))
