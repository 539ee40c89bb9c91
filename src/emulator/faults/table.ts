import { SECONDS_PER_DAY } from '../../time_units.ts'
import { type EmulatedOperation, FEED_OPERATIONS, OPERATION_HELP } from '../http/routes.ts'
import type { JsonObject } from '../protocol/format.ts'
import { choice, count, type FaultArgument, SETTING_FAULTS, seconds, text } from '../protocol/settings.ts'
import { LATENCY_BOUNDS } from '../query/counters.ts'
import * as json from './json.ts'
import * as responses from './responses.ts'

/** What faults change, in the order in which a request passes them. */
interface FaultChanges {
  /** The time of the samples and of the Date header, in epoch seconds. */
  readonly date: (now: number, argument: string) => number
  /** The time of the samples only. `since`: when the fault was activated. */
  readonly clock: (now: number, argument: string, since: number) => number
  /** The number of requests that a token is valid for; 0 revokes the existing tokens. */
  readonly tokens: (argument: string) => number
  /** Responds in place of the storage system, which does not process the request. */
  readonly respond: (argument: string, request: responses.FaultRequest) => responses.FullResponse
  readonly json: (root: JsonObject, argument: string) => unknown
  /** Headers or bytes of a complete response. */
  readonly response: (
    body: Buffer,
    argument: string,
  ) => Partial<Pick<responses.FullResponse, 'headers' | 'body'>>
  /** Sends a complete response itself; settles when it no longer needs the connection. */
  readonly send: (connection: responses.Connection, argument: string) => Promise<void>
}

/** One of the changes, or none: then the code of the storage system applies the fault itself. */
export interface FaultRow extends Partial<FaultChanges> {
  readonly description: string
  readonly argument?: FaultArgument | undefined
  /** The only operations that the fault applies to without a target; default: all. */
  readonly operations?: readonly EmulatedOperation[] | undefined
}

const rowsOf =
  <Kind extends keyof FaultChanges>(kind: Kind, operations?: readonly EmulatedOperation[]) =>
  (description: string, change: FaultChanges[Kind], argument?: FaultArgument): FaultRow => {
    return { [kind]: change, description, argument, operations }
  }

const [clock, date, tokens] = [rowsOf('clock'), rowsOf('date'), rowsOf('tokens')]
const [respond, response, send] = [rowsOf('respond'), rowsOf('response'), rowsOf('send')]
/** Without a target it is not for the list of pools, which has the same structure. */
const document = rowsOf('json', FEED_OPERATIONS)
const list = (description: string, change: Parameters<typeof json.inList>[0], argument?: FaultArgument) =>
  document(description, json.inList(change), argument)
const rows = (description: string, change: Parameters<typeof json.inRows>[0], argument?: FaultArgument) =>
  rowsOf('json')(description, json.inRows(change), argument)

const SPEED = choice(['-1', '0'])
const before = (now: number, time: string) => Math.max(0, now - Math.floor(Number(time)))
const after = (now: number, time: string) => now + Math.floor(Number(time))

const ROWS = {
  'future-time': clock('samples have times in the future', after, seconds(SECONDS_PER_DAY)),
  'ancient-time': clock('samples are old', before, seconds(55 * SECONDS_PER_DAY)),
  frozen: clock('the time of the samples stops at the activation of the fault', (_now, _, since) => since),
  'clock-back': date('the clock is set back, for samples and Date header', before, seconds(3_600)),
  'expire-tokens': tokens(
    'revokes all tokens now, or limits each token to so many requests; a new login creates a valid token',
    Number,
    count('REQUESTS', 0),
  ),

  status: respond(
    'responds with an error; options after the status: retry-after=…, code=…, retryable=…, body=xml|json|html|none',
    responses.statusResponse,
    text('STATUS[,OPTION=VALUE…]', '503', responses.STATUS_PATTERN),
  ),
  'query-error': rowsOf('respond', ['query'])(
    'responds to queries with an error: missing role, compile error, internal error, timeout, or media type',
    responses.queryError,
    choice(Object.keys(responses.QUERY_ERRORS), 'compile'),
  ),
  'redirect-login': respond(
    'redirects to the login page of this system or of another origin',
    (origin, { url }) => responses.redirect(`${origin}/login?service=${encodeURIComponent(url)}`),
    text('ORIGIN', '', /^(https?:\/\/[^/\s]+)?$/),
  ),
  'redirect-other': respond(
    'redirects to a URL that is not the login page',
    responses.redirect,
    text('URL', '/elsewhere', /^\S+$/),
  ),
  html: respond('responds with status 200 and the HTML of a login page', responses.loginPage),
  'wrong-content-type': response(
    'sends the correct body with a wrong content type',
    (_body, type) => ({ headers: { 'Content-Type': type } }),
    text('TYPE', 'text/plain', /^[\w.+-]+\/[\w.+-]+$/),
  ),
  empty: response('responds without a body', () => ({ body: Buffer.alloc(0) })),
  gzip: response('compresses the body, even if the client does not accept it', responses.gzipped),
  'gzip-cut': response(
    'sends half of a compressed body with a matching Content-Length',
    responses.gzippedHalf,
  ),
  'gzip-bomb': response(
    'sends a small compressed body of so many MB',
    responses.gzipBomb,
    count('MEGABYTES', 200),
  ),
  'unknown-encoding': response(
    'sends a Content-Encoding that the body does not have',
    (_body, name) => ({ headers: { 'Content-Encoding': name } }),
    text('NAME', 'br', /^[\w, -]+$/),
  ),
  'bad-utf8': response('inserts bytes that are not valid UTF-8 into the body', responses.withBadBytes),
  'big-headers': response(
    'sends a header that is too large for most clients',
    (_body, kilobytes) => ({ headers: { 'X-Padding': 'x'.repeat(1_000 * Number(kilobytes)) } }),
    count('KILOBYTES', 64),
  ),

  reset: send('closes the connection without a response', responses.closeConnection),
  'half-open': send('accepts the request and never responds', responses.sendNothing),
  'slow-headers': send('waits before it responds', responses.sendLate, seconds(5)),
  'slow-body': send(
    'pauses before each byte of the body',
    responses.sendBytes,
    seconds(1, 'SECONDS_PER_BYTE'),
  ),
  stall: send('sends half of the body, then nothing, and keeps the connection open', responses.sendHalf),
  truncate: send(
    'sends half of the body and closes the connection; the end of the body is marked by length, chunks or close',
    responses.sendTruncated,
    choice(['length', 'chunked', 'close']),
  ),
  'too-large': send('pads the body with blanks to so many MB', responses.sendLarge, count('MEGABYTES', 100)),
  endless: send('sends blanks after the body without end', responses.sendEndless),
  garbage: send('responds with bytes that are not HTTP', responses.sendGarbage),

  'no-embedded': document('the response has no _embedded', (root) => json.without(root, '_embedded')),
  root: document(
    'the response is not a JSON object',
    (_root, kind) => json.ROOTS[kind],
    choice(Object.keys(json.ROOTS)),
  ),
  'empty-list': list('the list is empty', () => []),
  deep: list('each node has a member nested very deeply', json.withDeepMember, count('LEVELS', 10_000)),
  'duplicate-ids': list('two nodes have the same id', ([first, second, ...others]) =>
    second === undefined ? [first] : [first, { ...second, id: first?.['id'] }, ...others],
  ),
  'duplicate-names': list('all nodes have the same name', (nodes) =>
    nodes.map((node) => ({ ...node, displayName: nodes[0]?.['displayName'] })),
  ),
  'missing-ids': list('the first node has no id', ([first = {}, ...others]) => [
    json.without(first, 'id'),
    ...others,
  ]),
  'vanished-node': list('the last node is missing', (nodes) => nodes.slice(0, -1)),
  'bad-values': list(
    'values are invalid: all of one kind, or all kinds mixed',
    json.withBadValues,
    choice(['mixed', ...Object.keys(json.BAD_VALUES)]),
  ),
  'bad-times': list(
    'times of snapshots are 0, or in another unit than seconds',
    json.withBadTimes,
    choice(Object.keys(json.TIME_FACTORS), 'milliseconds'),
  ),
  'unknown-health': list(
    'nodes have an undocumented health status',
    (nodes, healthStatus) => nodes.map((node) => ({ ...node, healthStatus })),
    text('STATUS', 'Rebooting', /^[^@]*$/),
  ),
  'error-types': list(
    'transactions fail with so many error types',
    json.withErrorTypes,
    count('TYPES', 5_000),
  ),
  'hostile-names': list(
    'nodes, pools and error types have names with quotes, control characters, HTML, 10 kB of text and the like',
    (nodes) => nodes.map(json.withHostileNames),
  ),
  'proto-members': list('objects have members named __proto__, constructor and hasOwnProperty', (nodes) =>
    nodes.map(json.withProtoMembers),
  ),
  'object-list': list('the list is its first object, as converters from XML write it', ([first]) => first),
  'repeated-object': list('the first object of the list occurs twice', ([first, ...others]) => [
    first,
    first,
    ...others,
  ]),
  'bad-numbers': list(
    'the numbers of the objects of the list are invalid; for snapshots there is bad-values',
    json.withBadNumbers,
    choice(['negative', 'unavailable', 'text', 'blank', 'null', 'list']),
  ),

  ...SETTING_FAULTS,

  'no-rows': rows('queries return nothing: the members of the answer are null', () => []),
  'partial-nodes': rows('queries return every second node only', json.everySecondNode),
  'partial-series': rows('queries return no row of every third series', (all) =>
    all.filter((row) => Number(row['table']) % 3 !== 0),
  ),
  'reordered-columns': rowsOf('json')(
    'queries return the columns in another order',
    json.inTables((table) => [json.reversed(table)]),
  ),
  'two-series': rowsOf('json')(
    'queries return two Series; the second one has other columns',
    json.inTables(json.inTwo),
  ),
  'duplicate-rows': rows('queries return every row twice, with different values', (all) =>
    all.flatMap((row) => [row, { ...row, _value: String(2 * Number(row['_value']) + 1) }]),
  ),
  'missing-bound': rows(
    'a bound of the latencies of the first node is missing',
    json.withoutBound,
    choice(LATENCY_BOUNDS, '+Inf', 'BOUND'),
  ),
  'late-series': rows(
    'the points of the process or network interface of this name are visible after 10 minutes',
    json.withoutNewPoints,
    text('NAME', 'cm', /^[\w.-]{1,100}$/),
  ),
  'bond-slaves': rows(
    'the interface public is a bond: two slaves, NAME-0 and NAME-1, have its traffic, too',
    json.withSlaves,
    choice(['slave', 'pslave'], 'slave', 'NAME'),
  ),
  'no-link': rows(
    'nodes have an interface eth9 without traffic, and with this speed',
    json.withoutLink,
    SPEED,
  ),
  'interface-speed': rows(
    'all network interfaces have this speed, although they have traffic',
    (all, _value) => all.map((row) => (row['_field'] === 'speed' ? { ...row, _value } : row)),
    SPEED,
  ),
} satisfies Record<string, FaultRow>

type FaultName = keyof typeof ROWS
export const FAULTS: Readonly<Record<FaultName, FaultRow>> = ROWS
export const FAULT_NAMES = Object.keys(ROWS) as readonly FaultName[]

export interface Fault {
  readonly name: FaultName
  readonly argument: string
  readonly operation?: EmulatedOperation
  /** Name or id: limits the fault to requests about this pool. */
  readonly pool?: string
  /** The number of matching requests to which the fault is limited. */
  readonly first?: number
}

export function faultHelp(): (readonly [usage: string, description: string])[] {
  return Object.entries<FaultRow>(FAULTS).map(([name, { argument, description }]) => {
    if (argument === undefined) return [name, description]
    const byDefault = argument.default === '' ? '' : ` (default ${argument.default})`
    return [`${name}[:${argument.name}]`, `${description}${byDefault}`]
  })
}

/**
 * Reads `NAME[:ARG][@TARGET]`, where TARGET is a comma-separated list of an operation, `pool=NAME_OR_ID` and
 * `first=COUNT`: `status:503,retry-after=30@nodes,pool=hot,first=3`.
 *
 * @throws RangeError that says what is invalid and what is valid
 */
export function parseFault(text: string): Fault {
  const at = text.lastIndexOf('@')
  const what = at < 0 ? text : text.slice(0, at)
  const colon = what.indexOf(':')
  const name = faultName(colon < 0 ? what : what.slice(0, colon))
  const argument = argumentOf(name, colon < 0 ? undefined : what.slice(colon + 1))
  if (FAULTS[name].tokens !== undefined && at >= 0) {
    throw new RangeError(`Fault "${text}": ${name} applies to all requests, so it takes no target`)
  }
  return { name, argument, ...(at >= 0 && parseTarget(text, text.slice(at + 1))) }
}

function faultName(text: string): FaultName {
  const name = FAULT_NAMES.find((candidate) => candidate === text)
  if (name !== undefined) return name
  throw new RangeError(`There is no fault "${text}". Faults are: ${FAULT_NAMES.join(', ')}.`)
}

function argumentOf(name: FaultName, text: string | undefined): string {
  const { argument } = FAULTS[name]
  if (argument === undefined) {
    if (text === undefined) return ''
    throw new RangeError(`Fault "${name}" takes no argument, but got "${text}"`)
  }
  const value = text ?? argument.default
  if (argument.pattern.test(value)) return value
  throw new RangeError(`The argument of fault "${name}" must be ${argument.name}, not "${value}"`)
}

function parseTarget(fault: string, text: string): Pick<Fault, 'operation' | 'pool' | 'first'> {
  const target: { operation?: EmulatedOperation; pool?: string; first?: number } = {}
  for (const part of text.split(',')) {
    const [, key, value = ''] = /^(pool|first)=(.+)$/.exec(part) ?? []
    if (key === 'pool') target.pool = value
    else if (key === 'first' && /^\d{1,9}$/.test(value)) target.first = Number(value)
    else if (key === undefined && Object.hasOwn(OPERATION_HELP, part))
      target.operation = part as EmulatedOperation
    else throw new RangeError(`Fault "${fault}": "${part}" is not a target. ${TARGET_HELP}`)
  }
  return target
}

export const TARGET_HELP =
  `A target is an operation (${Object.keys(OPERATION_HELP).join(', ')}), pool=NAME_OR_ID, ` +
  'first=COUNT (only the first COUNT requests that match), or several of them separated by commas.'
