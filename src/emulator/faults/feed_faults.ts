import { choiceArgument, countArgument, type FaultRow, type FeedDocument, type JsonObject } from './fault.ts'

/** Marks JSON text that JSON.stringify cannot produce, such as 1e400. */
const RAW = '@raw:'

/** Invalid values, by the argument of the fault. */
const BAD_VALUES: Readonly<Record<string, unknown>> = {
  nan: 'NaN',
  infinity: 'Infinity',
  huge: `${RAW}1e400`,
  'huge-text': '1e400',
  negative: -2,
  implausible: 1e298,
  hex: '0x1F',
  text: 'many',
  unavailable: 'N/A',
  blank: ' ',
  null: null,
  boolean: true,
  list: [],
  'nan-literal': `${RAW}NaN`,
  'infinity-literal': `${RAW}Infinity`,
}

/** Kinds for the numbers of objects that have no snapshots. */
const NUMBER_KINDS = ['negative', 'unavailable', 'text', 'blank', 'null', 'list']

/** Documents that are not objects, by the argument of the fault. */
const ROOTS: Readonly<Record<string, string>> = { null: 'null', list: '[]', text: '"nodes"', number: '7' }

/** Factors on times in seconds, by the argument of the fault. */
const TIME_FACTORS: Readonly<Record<string, number>> = { zero: 0, milliseconds: 1e3, microseconds: 1e6 }

const LONG_NAME_CHARACTERS = 10_000
const HOSTILE_NAMES = [
  'new\nline',
  'quo"te and \\ backslash',
  '<script>alert(1)</script><img src=x onerror=alert(1)>',
  'control\u0000\u0007\u001b[31m\u009f',
  '\u202egnitanimret\u202c \u0627\u0644\u0639\u0642\u062f\u0629',
  'x'.repeat(LONG_NAME_CHARACTERS),
  '{}[]#,= \t\r\n# HELP injected 1',
  '\ud800 lone surrogate',
  '',
]

/** Faults of the data: the feed is complete, but its content is wrong. */
export const FEED_FAULTS = {
  'no-embedded': {
    help: 'the feed has no _embedded',
    feed: ({ root }) => JSON.stringify(without(root, '_embedded')),
  },
  'empty-list': {
    help: 'the feed has no nodes',
    feed: onNodes(() => []),
  },
  root: {
    help: 'the feed is not a JSON object',
    argument: choiceArgument(Object.keys(ROOTS), 'null'),
    feed: (_feed, kind) => ROOTS[kind] ?? 'null',
  },
  deep: {
    help: 'each node has a member nested very deeply',
    argument: countArgument('LEVELS', 10_000),
    feed: ({ root }, levels) =>
      JSON.stringify(root).replaceAll(
        '"apiChange":',
        `"deep":${'['.repeat(Number(levels))}${']'.repeat(Number(levels))},"apiChange":`,
      ),
  },
  'duplicate-ids': {
    help: 'two nodes have the same id',
    feed: onNodes((nodes) =>
      nodes.map((node, index) => (index === 1 ? { ...node, id: nodes[0]?.['id'] } : node)),
    ),
  },
  'duplicate-names': {
    help: 'all nodes have the same name',
    feed: onNodes((nodes) => nodes.map((node) => ({ ...node, displayName: nodes[0]?.['displayName'] }))),
  },
  'missing-ids': {
    help: 'the first node has no id',
    feed: onNodes((nodes) => nodes.map((node, index) => (index === 0 ? without(node, 'id') : node))),
  },
  'vanished-node': {
    help: 'the last node is missing',
    feed: onNodes((nodes) => nodes.slice(0, -1)),
  },
  'bad-values': {
    help: 'values are invalid: all of one kind, or all kinds mixed',
    argument: choiceArgument(['mixed', ...Object.keys(BAD_VALUES)], 'mixed'),
    feed: replaceValues,
  },
  'bad-times': {
    help: 'times of snapshots are 0, or in another unit than seconds',
    argument: choiceArgument(Object.keys(TIME_FACTORS), 'milliseconds'),
    feed: ({ nodes }, unit) => {
      for (const snapshot of nodes.flatMap(snapshotsIn))
        snapshot['t'] = Number(snapshot['t']) * (TIME_FACTORS[unit] ?? 1)
    },
  },
  'unknown-health': {
    help: 'nodes have an undocumented health status',
    argument: { name: 'STATUS', fallback: 'Rebooting', pattern: /^[^@]*$/ },
    feed: onNodes((nodes, status) => nodes.map((node) => ({ ...node, healthStatus: status }))),
  },
  'error-types': {
    help: 'transactions fail with thousands of error types',
    argument: countArgument('TYPES', 5_000),
    feed: onNodes((nodes, count) => nodes.map((node) => withErrorTypes(node, Number(count)))),
  },
  'hostile-names': {
    help: 'nodes, pools and error types have names with quotes, control characters, HTML, 10 kB of text and the like',
    feed: onNodes((nodes) => nodes.map(withHostileNames)),
  },
  'proto-members': {
    help: 'objects have members named __proto__, constructor and hasOwnProperty',
    feed: onNodes((nodes) => nodes.map(withProtoMembers)),
  },
  'object-list': {
    help: 'a list is its first object, as of converters from XML; needs a target, such as @namespaces',
    feed: ({ root, nodes }) => JSON.stringify(root, (_, value) => (value === nodes ? nodes[0] : value)),
  },
  'repeated-object': {
    help: 'the first object of a list occurs twice; needs a target, such as @usage',
    feed: onNodes((objects) => [...objects, ...objects.slice(0, 1)]),
  },
  'bad-numbers': {
    help: 'the numbers of all objects of a list are invalid; needs a target, such as @quota',
    argument: choiceArgument(NUMBER_KINDS, 'negative'),
    feed: ({ nodes }, kind) => {
      for (const object of nodes) replaceNumbers(object, BAD_VALUES[kind])
    },
  },
} as const satisfies Record<string, FaultRow>

function onNodes(
  change: (nodes: JsonObject[], argument: string) => JsonObject[],
): NonNullable<FaultRow['feed']> {
  return ({ nodes }, argument) => void nodes.splice(0, nodes.length, ...change(nodes, argument))
}

function without(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name))
}

function replaceValues({ root, nodes }: FeedDocument, kind: string): string {
  // The literals are not valid JSON.
  const valid = Object.entries(BAD_VALUES).filter(([name]) => !name.endsWith('-literal'))
  const mixed = valid.map(([, value]) => value)
  let position = 0
  for (const snapshot of nodes.flatMap(snapshotsIn)) {
    for (const name of Object.keys(snapshot)) {
      if (name !== 't')
        snapshot[name] = kind === 'mixed' ? mixed[position++ % mixed.length] : BAD_VALUES[kind]
    }
  }
  return JSON.stringify(root).replaceAll(new RegExp(`"${RAW}([^"]*)"`, 'g'), '$1')
}

function replaceNumbers(object: JsonObject, replacement: unknown): void {
  for (const [name, value] of Object.entries(object)) {
    const isNumber = typeof value === 'number' || (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value))
    if (isNumber) object[name] = replacement
  }
}

/** All objects with a member `t`, at any depth. */
function snapshotsIn(value: unknown): JsonObject[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(snapshotsIn)
  return Object.hasOwn(value, 't') ? [value as JsonObject, ...inner] : inner
}

function withErrorTypes(node: JsonObject, count: number): JsonObject {
  const t = Math.max(0, ...snapshotsIn(node).map((snapshot) => Number(snapshot['t'])))
  const types = Array.from({ length: count }, (_, index) => ({
    errorType: `${400 + (index % 200)} (TYPE-${index})`,
    category: index % 2 === 0 ? 'User' : 'System',
    errorCount: '1',
    errorRate: [{ t: String(t), Rate: '0.01' }],
  }))
  const totals = [{ successTotal: '1000000', errorTotal: String(count) }]
  return { ...node, transactionErrorsCurrent: { all: [], errorSuccessTotals: totals, types } }
}

function withHostileNames(node: JsonObject, index: number): JsonObject {
  const name = HOSTILE_NAMES[index % HOSTILE_NAMES.length]
  const type = HOSTILE_NAMES[(index + 1) % HOSTILE_NAMES.length]
  const errors = node['transactionErrorsCurrent']
  const renamed = { ...node, displayName: name, storagePoolName: HOSTILE_NAMES[1] }
  if (typeof errors !== 'object' || errors === null) return renamed
  const types = [{ errorType: type, category: 'User', errorCount: '1', errorRate: [] }]
  return { ...renamed, transactionErrorsCurrent: { ...errors, types } }
}

/** `fromEntries` creates own members with these names; an assignment would change the prototype. */
function withProtoMembers(node: JsonObject): JsonObject {
  const polluted = { id: 'polluted', displayName: 'polluted', polluted: 'yes' }
  return Object.fromEntries([
    ['__proto__', polluted],
    ['constructor', { prototype: polluted }],
    ['hasOwnProperty', 'no function'],
    ...Object.entries(node),
  ])
}
