import type { ReceivedExchange, SystemClient } from '../../api/client.ts'
import { ApiError, isOfSystem } from '../../api/errors/errors.ts'
import { secretsIn } from '../../api/http/credentials.ts'
import { parseBody } from '../../api/parse/xml.ts'
import { createPastReader } from '../../api/query/past_reader.ts'
import { createPerformanceReader } from '../../api/query/performance_reader.ts'
import { decodeVersions, readRangeDefect } from '../../api/query/requests/version.ts'
import type { ResourceReading } from '../../api/resources/reading.ts'
import type { SendResource } from '../../api/resources/requests.ts'
import type { SystemConfig } from '../../config/config.ts'
import { type RecordedExchange, type Recording, recordingLines } from '../../recording/format.ts'
import { createRedactor } from '../../recording/redaction/redactor.ts'
import { type ForbiddenText, findLeaks } from '../../recording/search/leaks.ts'
import { kindsOf, RESOURCE_NAMES, RESOURCES, type ResourceRow } from '../../system_catalogue.ts'
import { MS_PER_SECOND, timeText } from '../../time_units.ts'
import {
  type ConfiguredName,
  configuredNames,
  createCommandClient,
  createCommandReader,
  MAX_SINGLE,
} from '../cli/systems.ts'

interface SendOptions {
  readonly system: SystemConfig
  readonly client: SystemClient
  readonly recorder: Pick<Recorder, 'answerTo'>
  readonly signal: AbortSignal
  /** Called before each group of requests. */
  readonly onStep: (title: string) => void
  /** Clock in seconds since the epoch. */
  readonly now: () => number
}

/** Length of the recorded history, in seconds before now, and of its intervals. */
const HISTORY_SECONDS = 3600
const INTERVAL_SECONDS = 300

/**
 * Sends each request of the exporter once, through the functions with which the exporter sends it. What fails is recorded
 * by the client, and the others are sent nevertheless.
 * @throws the reason of the signal when it is aborted; ApiError if nothing can be reached
 */
async function sendAll(options: SendOptions): Promise<void> {
  const { system, client, signal, onStep } = options
  onStep('list of pools')
  const listed = await attempted(() => client.pools(signal), signal)
  for (const pool of system.pools ?? (listed?.pools ?? []).map(({ id }) => id))
    await sendForPool(pool, options)
  await sendForResources(options)
  await sendQueries(options)
}

/** Undefined after a refusal, which is recorded. */
async function attempted<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await task()
  } catch (failure) {
    signal.throwIfAborted()
    // Without a connection or a session, each further request would fail, too, perhaps after a timeout.
    if (!(failure instanceof ApiError) || failure.reason === 'auth') throw failure
    if (isOfSystem(failure) && failure.status === undefined) throw failure
    return undefined
  }
}

async function sendForPool(pool: string, options: SendOptions): Promise<void> {
  const { system, client, signal, onStep, now } = options
  const end = Math.floor(now() / INTERVAL_SECONDS) * INTERVAL_SECONDS
  const period = { start: end - HISTORY_SECONDS, end, interval: INTERVAL_SECONDS }
  onStep('nodes of a pool')
  await attempted(() => client.nodes(pool, signal), signal)
  onStep('forecasts of a pool')
  for (const timeFrame of system.forecast.timeFrames)
    await attempted(() => client.forecasts(pool, { ...system.forecast, timeFrame }, signal), signal)
  onStep('history of a pool')
  await attempted(() => client.history(pool, period, signal), signal)
}

/** Reads each resource; the list of pools is recorded already. */
async function sendForResources(options: SendOptions): Promise<void> {
  const { system, client, signal, onStep } = options
  const isQueried = system.performance.source !== 'feed'
  const readings = new Map<string, ResourceReading>()
  const known = (name: string) => readings.get(name)
  const sender = { ...client, resource: createSendOnce(options) }
  const kinds = kindsOf().filter(
    ({ isListOfPools, measurement }) => !isListOfPools && (measurement === undefined || isQueried),
  )
  for (const kind of kinds) {
    const { name, resource } = kind
    const row: ResourceRow = RESOURCES[resource]
    const isOn = system.resources[resource].schedule !== ''
    // Nodes are asked only where the configuration allows it.
    if (!isOn && row.dataPort !== undefined) continue
    onStep(resource.replace('_', ' '))
    // All objects of a resource that the configuration enables.
    const reader = createCommandReader(sender, system, { known, ...(!isOn && { maxSingle: MAX_SINGLE }) })
    const reading = await attempted(() => reader.read(kind, signal), signal)
    if (reading !== undefined) readings.set(name, reading)
  }
}

/** Several resources begin with the same list. */
function createSendOnce({ system, client, recorder }: SendOptions): SendResource {
  return async (request, decode, signal) => {
    const { path, query, body } = request
    const known = recorder.answerTo({ path, query, body })
    if (known === undefined) return client.resource(request, decode, signal)
    const response = { baseUrl: system.baseUrls[0] ?? '', now: known.at }
    return decode(parseBody(known.text), response)
  }
}

async function sendQueries(options: SendOptions): Promise<void> {
  const { system, client, recorder, signal, onStep, now } = options
  const { source, interfaces } = system.performance
  if (source === 'feed') return
  let isDefective: boolean | undefined
  const readVersion: SystemClient['read'] = (request, decode, ofRead) => {
    const known = recorder.answerTo({ path: request.path, query: undefined, body: undefined })
    return known === undefined ? client.read(request, decode, ofRead) : Promise.resolve(decode(known.text))
  }
  const reader = createPerformanceReader({
    interfaces,
    hasRangeDefect: async (ofRead) => {
      isDefective = await readRangeDefect(readVersion, ofRead)
      return isDefective
    },
    query: client.query,
  })
  onStep('queries')
  const answers = await attempted(() => reader.read(signal), signal)
  if (answers === undefined || isDefective === true) return
  onStep('history of the queries')
  const end = Math.floor(now() / INTERVAL_SECONDS) * INTERVAL_SECONDS
  const past = createPastReader({ interfaces, query: client.query, nowSeconds: Math.floor(now()) })
  await attempted(() => past.read({ start: end - HISTORY_SECONDS, stop: end }, signal), signal)
}

export type SystemRecording = ReturnType<typeof createSystemRecording>

export function createSystemRecording(system: SystemConfig, keepsNames: boolean) {
  const recorder = createRecorder(keepsNames, namesOf(system))
  return {
    ...recorder,
    /** Sends the requests and logs out. @throws as {@link sendAll}; what was answered before is recorded */
    async send(options: Pick<SendOptions, 'signal' | 'onStep'>): Promise<void> {
      const client = createCommandClient(system, { received: recorder.received })
      try {
        await sendAll({ ...options, system, client, recorder, now: () => Date.now() / 1000 })
      } finally {
        await client.close()
      }
    },
  }
}

const FORBIDDEN: Readonly<Partial<Record<ConfiguredName['kind'], string>>> = {
  system: 'the name of the system',
  user: 'the user name',
  host: 'a host of base_url or tls_config',
}

function namesOf(system: SystemConfig): ForbiddenText[] {
  return configuredNames(system).flatMap(({ text, kind }): ForbiddenText[] => {
    const what = FORBIDDEN[kind]
    return what === undefined ? [] : [{ text, what }]
  })
}

type Recorder = ReturnType<typeof createRecorder>

type RequestKey = Pick<ReceivedExchange, 'path' | 'query' | 'body'>

/** @param names texts of the configuration that are not even kept in names */
function createRecorder(keepsNames: boolean, names: readonly ForbiddenText[]) {
  const exchanges = new Map<string, RecordedExchange>()
  const answers = new Map<string, { readonly text: string; readonly at: number }>()
  /** The names, and the secrets that were sent so far. */
  const configured = [...names]
  const isSecret = (text: string) => configured.some((forbidden) => text.includes(forbidden.text))
  const redactor = createRedactor({ keepsNames, isSecret })

  function addSecret(text: string): void {
    if (configured.some((forbidden) => forbidden.text === text)) return
    configured.push({ text, what: 'a password or token' })
  }

  return {
    redactor,
    received(exchange: ReceivedExchange): void {
      for (const secret of secretsIn(exchange.headers)) addSecret(secret)
      const { operation, outcome } = exchange
      if (operation === 'login' || operation === 'logout') return
      const key = keyOf(exchange)
      // A repeated request replaces one that was refused or failed.
      if (exchanges.get(key)?.status === 200) return
      const isResource = RESOURCE_NAMES.some((name) => name === operation)
      if (typeof outcome !== 'string' && outcome.status === 200 && isResource)
        answers.set(key, { text: outcome.text, at: outcome.at })
      exchanges.set(key, redactor.exchange(exchange))
    },
    /** The answer with status 200 to a request of a resource; undefined before it. */
    answerTo: (request: RequestKey) => answers.get(keyOf(request)),
    counts: () => countsOf([...exchanges.values()]),
    finish(options: Pick<Recording['header'], 'program' | 'complete'>) {
      const recorded = recordingOf([...exchanges.values()], {
        ...options,
        names: keepsNames ? 'kept' : 'replaced',
      })
      const lines = recordingLines(recorded)
      const { replaced, isStandIn } = redactor.standIns
      const texts = [...replaced().keys()].map((text) => ({ text, what: 'a replaced text' }))
      return { lines, leaks: findLeaks(lines, [...configured, ...texts], isStandIn) }
    },
  }
}

function keyOf({ path, query = '', body = '' }: RequestKey): string {
  return JSON.stringify([path, query, body])
}

/** `refused`: answers with another status than 200; `failed`: requests without a whole answer. */
function countsOf(exchanges: readonly RecordedExchange[]) {
  const failed = exchanges.filter(({ failure }) => failure !== undefined).length
  const answered = exchanges.filter(({ status }) => status === 200).length
  return { requests: exchanges.length, refused: exchanges.length - answered - failed, failed }
}

function recordingOf(
  exchanges: readonly RecordedExchange[],
  header: Pick<Recording['header'], 'program' | 'complete' | 'names'>,
): Recording {
  const versions = exchanges
    .filter(({ request, status }) => request.path === '/vdc/nodes' && status === 200)
    .flatMap(({ body }) => decodeVersions(body))
  return {
    header: {
      ...header,
      recording: 1,
      recorded_at: timeText(Date.now() / MS_PER_SECOND),
      versions: [...new Set(versions)],
    },
    exchanges,
  }
}
