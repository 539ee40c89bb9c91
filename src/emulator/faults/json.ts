import { isObject, type JsonObject } from '../protocol/format.ts'

/** Changes to the JSON of a response. */
type JsonChange = (root: JsonObject, argument: string) => unknown
type ListChange = (objects: readonly JsonObject[], argument: string) => unknown

interface QueryTable {
  readonly Datatypes: readonly string[]
  readonly Columns: readonly string[]
  readonly Values: readonly (readonly (string | null)[])[]
}
/** Cells by column. */
type TableRow = Readonly<Record<string, string | null>>
type RowsChange = (rows: readonly TableRow[], argument: string) => readonly TableRow[]

/** Changes a list of objects, or the only object. An empty list stays empty, and an only object is not removed. */
export function inList(change: ListChange): JsonChange {
  return (root, argument) => {
    const found = listIn(root)
    if (found === undefined)
      return isObject(root['_embedded']) ? root : ([change([root], argument)].flat()[0] ?? root)
    if (found.list.length > 0) found.container[found.name] = change(found.list, argument)
    return root
  }
}

/** The first list of the document, of what it embeds, or of the element around it. */
function listIn(root: JsonObject) {
  const containers: JsonObject[] = [root['_embedded'], root, ...Object.values(root)].filter(isObject)
  return containers
    .flatMap((container) => Object.entries(container).map(([name, list]) => ({ container, name, list })))
    .find(
      (one): one is typeof one & { list: JsonObject[] } =>
        Array.isArray(one.list) && one.list.every(isObject),
    )
}

/** Changes the answer to a query. Answers without rows stay unchanged. */
export function inTables(change: (table: QueryTable) => readonly QueryTable[]): JsonChange {
  return (root) => withTables(root, change)
}

export function inRows(change: RowsChange): JsonChange {
  return (root, argument) =>
    withTables(root, ({ Columns, Values, ...table }) => {
      const rows = Values.map((row) =>
        Object.fromEntries(Columns.map((name, index) => [name, row[index] ?? null])),
      )
      const changed = change(rows, argument)
      return [{ ...table, Columns, Values: changed.map((row) => Columns.map((name) => row[name] ?? null)) }]
    })
}

function withTables(root: JsonObject, change: (table: QueryTable) => readonly QueryTable[]): JsonObject {
  const series = root['Series'] as QueryTable[] | undefined
  if (!Array.isArray(series) || series.some(({ Columns }) => Columns === null)) return root
  const changed = series.flatMap(change)
  const isEmpty = changed.every(({ Values }) => Values.length === 0)
  return { Series: isEmpty ? [{ Datatypes: null, Columns: null, Values: null }] : changed }
}

/** Begins a text that is written without quotes, such as 1e400, which JSON.stringify cannot write. */
export const RAW = '@raw:'

/** Invalid values, by the argument of the fault. */
export const BAD_VALUES: Readonly<Record<string, unknown>> = {
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

/** Documents that are not objects, by the argument of the fault. */
export const ROOTS: Readonly<Record<string, unknown>> = { null: null, list: [], text: 'nodes', number: 7 }

/** Factors on times in seconds, by the argument of the fault. */
export const TIME_FACTORS: Readonly<Record<string, number>> = {
  zero: 0,
  milliseconds: 1e3,
  microseconds: 1e6,
}

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

export function without(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name))
}

export function withDeepMember(nodes: readonly JsonObject[], levels: string): JsonObject[] {
  const deep = `${RAW}${'['.repeat(Number(levels))}${']'.repeat(Number(levels))}`
  return nodes.map((node) => ({ deep, ...node }))
}

/** @param kind `mixed`: all that are valid JSON, by turns */
export function withBadValues(nodes: readonly JsonObject[], kind: string): readonly JsonObject[] {
  const mixed = Object.keys(BAD_VALUES).filter((name) => !name.endsWith('-literal'))
  let position = 0
  for (const snapshot of snapshotsIn(nodes)) {
    for (const name of Object.keys(snapshot))
      if (name !== 't')
        snapshot[name] = BAD_VALUES[kind === 'mixed' ? (mixed[position++ % mixed.length] ?? '') : kind]
  }
  return nodes
}

export function withBadTimes(nodes: readonly JsonObject[], unit: string): readonly JsonObject[] {
  for (const snapshot of snapshotsIn(nodes)) snapshot['t'] = Number(snapshot['t']) * (TIME_FACTORS[unit] ?? 1)
  return nodes
}

/** Replaces all numbers, also those that are text. */
export function withBadNumbers(objects: readonly JsonObject[], kind: string): JsonObject[] {
  const isNumber = (value: unknown) =>
    typeof value === 'number' || (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value))
  return objects.map((object) =>
    Object.fromEntries(
      Object.entries(object).map(([name, value]) => [name, isNumber(value) ? BAD_VALUES[kind] : value]),
    ),
  )
}

/** All objects with a member `t`, at any depth. */
function snapshotsIn(value: unknown): JsonObject[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(snapshotsIn)
  return Object.hasOwn(value, 't') ? [value as JsonObject, ...inner] : inner
}

export function withErrorTypes(nodes: readonly JsonObject[], count: string): JsonObject[] {
  return nodes.map((node) => ({ ...node, transactionErrorsCurrent: errorsOf(node, Number(count)) }))
}

function errorsOf(node: JsonObject, count: number): JsonObject {
  const t = Math.max(0, ...snapshotsIn(node).map((snapshot) => Number(snapshot['t'])))
  const types = Array.from({ length: count }, (_, index) => ({
    errorType: `${400 + (index % 200)} (TYPE-${index})`,
    category: index % 2 === 0 ? 'User' : 'System',
    errorCount: '1',
    errorRate: [{ t: String(t), Rate: '0.01' }],
  }))
  const totals = [{ successTotal: '1000000', errorTotal: String(count) }]
  return { all: [], errorSuccessTotals: totals, types }
}

export function withHostileNames(node: JsonObject, index: number): JsonObject {
  const name = HOSTILE_NAMES[index % HOSTILE_NAMES.length]
  const type = HOSTILE_NAMES[(index + 1) % HOSTILE_NAMES.length]
  const errors = node['transactionErrorsCurrent']
  const renamed = { ...node, displayName: name, storagePoolName: HOSTILE_NAMES[1] }
  if (typeof errors !== 'object' || errors === null) return renamed
  const types = [{ errorType: type, category: 'User', errorCount: '1', errorRate: [] }]
  return { ...renamed, transactionErrorsCurrent: { ...errors, types } }
}

/** `fromEntries` creates own members with these names; an assignment would change the prototype. */
export function withProtoMembers(node: JsonObject): JsonObject {
  const polluted = { id: 'polluted', displayName: 'polluted', polluted: 'yes' }
  return Object.fromEntries([
    ['__proto__', polluted],
    ['constructor', { prototype: polluted }],
    ['hasOwnProperty', 'no function'],
    ...Object.entries(node),
  ])
}

export const everySecondNode: RowsChange = (rows) => {
  const ids = [...new Set(rows.map((row) => row['node_id']))].sort()
  return rows.filter((row) => ids.indexOf(row['node_id']) % 2 === 0)
}

export const withoutBound: RowsChange = (rows, bound) => {
  const [id] = rows.map((row) => row['node_id']).sort()
  return rows.filter((row) => row['_field'] !== bound || row['node_id'] !== id)
}

const LATE_MS = 600_000

export const withoutNewPoints: RowsChange = (rows, name) => {
  const ageMs = (row: TableRow) => Date.parse(row['_stop'] ?? '') - Date.parse(row['_time'] ?? '')
  return rows.filter((row) => ageMs(row) > LATE_MS || (row['process'] !== name && row['interface'] !== name))
}

export const withSlaves: RowsChange = (rows, name) =>
  rows.flatMap((row) => {
    const slaves = [0, 1].map((number) => ({ ...row, interface: `${name}-${number}` }))
    return row['interface'] === 'public' ? [row, ...slaves] : [row]
  })

export const withoutLink: RowsChange = (rows, speed) =>
  rows.flatMap((row) => {
    const added = { ...row, interface: 'eth9', _value: row['_field'] === 'speed' ? speed : '0' }
    return row['interface'] === 'public' ? [row, added] : [row]
  })

export function reversed({ Datatypes, Columns, Values }: QueryTable): QueryTable {
  return {
    Datatypes: Datatypes.toReversed(),
    Columns: Columns.toReversed(),
    Values: Values.map((row) => row.toReversed()),
  }
}

export function inTwo(table: QueryTable): QueryTable[] {
  const half = Math.floor(table.Values.length / 2)
  const [first, second] = [table.Values.slice(0, half), table.Values.slice(half)]
  return [{ ...table, Values: first }, reversed({ ...table, Values: second })]
}
