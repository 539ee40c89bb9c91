import { choiceArgument, countArgument, type FaultRow, type JsonObject } from './fault.ts'

/** Replacements of numbers, by the argument of the fault. */
const BAD_NUMBERS: Readonly<Record<string, unknown>> = {
  negative: '-2',
  unavailable: 'N/A',
  text: 'many',
  blank: ' ',
  null: null,
  list: [],
}
const MS_PER_SECOND = 1_000
const DAY = 86_400

/** Faults of what a system says about itself: those of lists need the operation as target. */
export const RESOURCE_FAULTS = {
  'page-error': {
    help: 'all pages of a list but the first one fail with an error',
    effect: { stage: 'settings', settings: () => ({ failsAfterFirstPage: true }) },
  },
  'repeated-marker': {
    help: 'the second page of a list refers to itself as the next one',
    effect: { stage: 'settings', settings: () => ({ repeatsMarker: true }) },
  },
  'object-list': {
    help: 'a list is its first object, as of converters from XML; needs a target, such as @namespaces',
    effect: {
      stage: 'feed',
      change: ({ root, nodes }) => JSON.stringify(root, (_, value) => (value === nodes ? nodes[0] : value)),
    },
  },
  'repeated-object': {
    help: 'the first object of a list occurs twice; needs a target, such as @usage',
    effect: {
      stage: 'feed',
      change: ({ root, nodes }) => {
        nodes.push(...nodes.slice(0, 1))
        return JSON.stringify(root)
      },
    },
  },
  'bad-numbers': {
    help: 'the numbers of all objects of a list are invalid; needs a target, such as @quota',
    argument: choiceArgument(Object.keys(BAD_NUMBERS), 'negative'),
    effect: {
      stage: 'feed',
      change: ({ root, nodes }, kind) => {
        for (const node of nodes) replaceNumbers(node, BAD_NUMBERS[kind])
        return JSON.stringify(root)
      },
    },
  },
  'hostile-namespaces': {
    help: 'namespaces have names with quotes, slashes, HTML, line breaks and the like',
    effect: { stage: 'settings', settings: () => ({ hasHostileNames: true }) },
  },
  'recovery-point': {
    help: 'recovery points of replication are in milliseconds, or a day in the future',
    argument: choiceArgument(['milliseconds', 'future'], 'milliseconds'),
    effect: {
      stage: 'settings',
      settings: (kind) => ({
        recoveryPoint: (seconds) => (kind === 'future' ? seconds + DAY : seconds * MS_PER_SECOND),
      }),
    },
  },
  license: {
    help: 'the license has expired, or expires in 20 days',
    argument: choiceArgument(['expiring', 'expired'], 'expired'),
    effect: {
      stage: 'settings',
      settings: (kind) => ({ license: kind === 'expired' ? 'expired' : 'expiring' }),
    },
  },
  'unready-tables': {
    help: 'so many directory tables are not ready, by the query interface',
    argument: countArgument('TABLES', 8),
    effect: { stage: 'settings', settings: (tables) => ({ unreadyTables: Number(tables) }) },
  },
} as const satisfies Record<string, FaultRow>

function replaceNumbers(object: JsonObject, replacement: unknown): void {
  for (const [name, value] of Object.entries(object)) {
    const isNumber = typeof value === 'number' || (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value))
    if (isNumber) object[name] = replacement
  }
}
