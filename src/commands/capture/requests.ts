import type { SystemClient } from '../../api/client.ts'
import { ApiError, isOfSystem } from '../../api/errors/errors.ts'
import { parseJson } from '../../api/parse/json.ts'
import { LIST_REQUEST } from '../../api/providers/providers.ts'
import { createPastReader } from '../../api/query/past_reader.ts'
import { createPerformanceReader } from '../../api/query/performance_reader.ts'
import { readRangeDefect } from '../../api/query/requests/version.ts'
import { kindOf } from '../../api/resources/objects.ts'
import type { SendResource } from '../../api/resources/requests.ts'
import type { SystemConfig } from '../../config/config.ts'
import type { ForbiddenText } from '../../recording/search/leaks.ts'
import { kindsOf, type ObjectKind } from '../../system_catalogue.ts'
import {
  type ConfiguredName,
  configuredNames,
  createCommandClient,
  createCommandReader,
} from '../cli/systems.ts'
import { createRecorder, type Recorder } from './recorder.ts'

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
/** Namespaces whose buckets are read, if the configuration does not enable the buckets. */
const NAMESPACES_WITH_BUCKETS = 3

/**
 * Sends each request of the exporter once, through the functions with which the exporter sends it. What fails is recorded
 * by the client, and the others are sent nevertheless.
 * @throws the reason of the signal when it is aborted; ApiError if nothing can be reached
 */
async function sendAll(options: SendOptions): Promise<void> {
  const { system, client, signal, onStep } = options
  onStep('list of pools')
  const listed = await attempted(() => client.pools(signal), signal)
  for (const pool of system.pools ?? (listed ?? []).map(({ id }) => id)) await sendForPool(pool, options)
  const namespaces = await sendForResources(options)
  onStep('buckets')
  await attempted(() => readBuckets(options, namespaces), signal)
  await sendQueries(options)
  onStep('authentication providers')
  await attempted(() => client.read(LIST_REQUEST, () => undefined, signal), signal)
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

/** Reads each resource but the buckets. @returns names of namespaces, the largest first */
async function sendForResources(options: SendOptions): Promise<readonly string[]> {
  const { system, signal, onStep } = options
  const reader = createReader(options, system.resources)
  const isQueried = system.performance.source !== 'feed'
  const isOther = ({ isListOfPools, reader: name, measurement }: ObjectKind) =>
    !isListOfPools && name !== 'buckets' && (measurement === undefined || isQueried)
  let namespaces: readonly string[] = []
  for (const kind of kindsOf().filter(isOther)) {
    onStep(kind.resource.replace('_', ' '))
    const reading = await attempted(() => reader.read(kind, signal), signal)
    if (kind.reader === 'namespaces') namespaces = reading?.objects.map(({ labels }) => labels[0] ?? '') ?? []
  }
  return namespaces
}

/** All that the configuration selects; otherwise those of a few namespaces: a list may take thousands of requests. */
async function readBuckets(options: SendOptions, namespaces: readonly string[]): Promise<void> {
  const { resources } = options.system
  const few = namespaces.slice(0, NAMESPACES_WITH_BUCKETS)
  if (resources.schedules.buckets === '' && few.length === 0) return
  const filter =
    resources.schedules.buckets === ''
      ? { ...resources.namespaces, include: few.map(RegExp.escape).join('|') }
      : resources.namespaces
  await createReader(options, { ...resources, namespaces: filter }).read(kindOf('bucket'), options.signal)
}

function createReader(options: SendOptions, filters: SystemConfig['resources']) {
  return createCommandReader({ resource: createSendOnce(options), query: options.client.query }, filters)
}

/** Several resources begin with the same list. */
function createSendOnce({ system, client, recorder }: SendOptions): SendResource {
  return async (request, decode, signal) => {
    const { path, query, body } = request
    const known = recorder.answerTo({ path, query, body })
    if (known === undefined) return client.resource(request, decode, signal)
    const response = { baseUrl: system.baseUrls[0] ?? '', now: known.at }
    return decode(parseJson(known.text), response)
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
