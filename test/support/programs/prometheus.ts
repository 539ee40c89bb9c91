import { join, resolve } from 'node:path'
import { stringify } from 'yaml'
import { temporaryFolder } from '../folders.ts'
import { get, getJson } from '../http.ts'
import { type Child, startProcess } from '../processes.ts'
import { toolPath } from '../tools.ts'
import { waitFor } from '../wait.ts'

type Labels = Readonly<Record<string, string>>

/** One element of an instant query; `time` in seconds since the epoch. */
export interface Sample {
  readonly metric: Labels
  readonly time: number
  readonly value: number
}

/** One series of a range query: pairs of seconds since the epoch and value. */
export interface Series {
  readonly metric: Labels
  readonly values: readonly (readonly [time: number, value: number])[]
}

export interface Target {
  readonly labels: Labels
  readonly scrapePool: string
  readonly scrapeUrl: string
  readonly health: 'up' | 'down' | 'unknown'
  readonly lastError: string
}

export interface Alert {
  readonly labels: Labels
  readonly annotations: Labels
  readonly state: 'pending' | 'firing'
  /** When its condition was first met, in RFC 3339. */
  readonly activeAt: string
}

export interface PrometheusOptions {
  /** Its path; that of the tests' tools unless given. */
  readonly program?: string
  /** The configuration file as data: `scrape_configs`, `global`, … */
  readonly config: Readonly<Record<string, unknown>>
  /** Rule files, relative to the repository. */
  readonly ruleFiles?: readonly string[]
  /** Addresses of Alertmanagers, e.g. `127.0.0.1:9093`. */
  readonly alertmanagers?: readonly string[]
  /** `storage.tsdb.out_of_order_time_window`, e.g. `1h`. */
  readonly outOfOrderWindow?: string
  /** `--enable-feature`. */
  readonly features?: readonly string[]
  readonly flags?: readonly string[]
  /** A data folder that is kept after the stop; default: a temporary folder. */
  readonly dataFolder?: string
}

export interface Prometheus extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  /** An instant query, at `time` (seconds since the epoch) or now. A scalar gives one sample without labels. */
  query(promql: string, time?: number): Promise<readonly Sample[]>
  /** Waits until the query has a result. The first scrape is about five seconds after the start. */
  waitForSamples(promql: string, time?: number): Promise<readonly Sample[]>
  /** Times and step in seconds. */
  queryRange(promql: string, start: number, end: number, step: number): Promise<readonly Series[]>
  targets(): Promise<readonly Target[]>
  alerts(): Promise<readonly Alert[]>
  /** The log, with warnings about duplicate and out-of-order samples. */
  log(): string
  stop(): Promise<void>
}

/** Starts Prometheus on a free port and waits until it is ready. Remote write and reload are enabled. */
export async function startPrometheus(options: PrometheusOptions): Promise<Prometheus> {
  const folder = temporaryFolder()
  const file = folder.write('prometheus.yml', stringify(wholeConfig(options)))
  const child = await startProcess(options.program ?? toolPath('prometheus'), [
    `--config.file=${file}`,
    `--storage.tsdb.path=${options.dataFolder ?? join(folder.path, 'data')}`,
    '--storage.tsdb.retention.time=10y',
    '--web.listen-address=127.0.0.1:0',
    '--web.enable-lifecycle',
    '--web.enable-remote-write-receiver',
    ...(options.features ?? []).map((feature) => `--enable-feature=${feature}`),
    ...(options.flags ?? []),
  ])
  const dispose = async () => {
    await child.stop()
    folder[Symbol.dispose]()
  }
  try {
    return wrap(child, await readyUrl(child), dispose)
  } catch (failure) {
    await dispose()
    throw failure
  }
}

function wholeConfig(options: PrometheusOptions): Record<string, unknown> {
  const { config, ruleFiles, alertmanagers, outOfOrderWindow } = options
  return {
    ...config,
    ...(ruleFiles && { rule_files: ruleFiles.map((file) => resolve(file)) }),
    ...(alertmanagers && { alerting: { alertmanagers: [{ static_configs: [{ targets: alertmanagers }] }] } }),
    ...(outOfOrderWindow && { storage: { tsdb: { out_of_order_time_window: outOfOrderWindow } } }),
  }
}

/** For Prometheus 2 and 3 and Alertmanager. Each logs its address, and answers /-/ready when it can serve. */
export async function readyUrl(child: Child): Promise<string> {
  const [, address] = await child.waitForOutput(/msg="Listening on" (?:component=\S+ )?address=(\S+)/)
  const url = `http://${address}`
  await waitFor(async () => (await get(`${url}/-/ready`)).status === 200, {
    what: `${url}/-/ready`,
    detail: child.stderr,
  })
  return url
}

type Api = (path: string, parameters?: Readonly<Record<string, string>>) => Promise<unknown>

function apiOf(url: string): Api {
  return (path, parameters = {}) => apiData(`${url}/api/v1/${path}?${new URLSearchParams(parameters)}`)
}

/** Instant queries of a server with the API of Prometheus. */
export function queriesOf(url: string, log: () => string): Pick<Prometheus, 'query' | 'waitForSamples'> {
  const api = apiOf(url)
  const query = async (promql: string, time?: number) =>
    instant(await api('query', { query: promql, ...(time !== undefined && { time: String(time) }) }))
  return {
    query,
    waitForSamples: (promql, time) =>
      waitFor(async () => nonEmpty(await query(promql, time)), { what: promql, interval: 100, detail: log }),
  }
}

function wrap(child: Child, url: string, dispose: () => Promise<void>): Prometheus {
  const api = apiOf(url)
  return {
    url,
    ...queriesOf(url, child.stderr),
    queryRange: async (query, start, end, step) =>
      range(await api('query_range', { query, start: String(start), end: String(end), step: String(step) })),
    targets: async () => ((await api('targets')) as { activeTargets: readonly Target[] }).activeTargets,
    alerts: async () => ((await api('alerts')) as { alerts: readonly Alert[] }).alerts,
    log: child.stderr,
    stop: dispose,
    [Symbol.asyncDispose]: dispose,
  }
}

type Point = readonly [time: number, value: string]
interface Result {
  readonly resultType: 'vector' | 'matrix' | 'scalar' | 'string'
  readonly result: unknown
}

function instant(data: unknown): readonly Sample[] {
  const { resultType, result } = data as Result
  if (resultType === 'scalar') return [sample({}, result as Point)]
  if (resultType !== 'vector')
    throw new Error(`the result of an instant query is a ${resultType}, expected a vector`)
  const elements = result as readonly { readonly metric: Labels; readonly value: Point }[]
  return elements.map(({ metric, value }) => sample(metric, value))
}

function nonEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length > 0 ? list : undefined
}

function range(data: unknown): readonly Series[] {
  const series = (data as Result).result as readonly { metric: Labels; values: readonly Point[] }[]
  return series.map(({ metric, values }) => ({
    metric,
    values: values.map(([time, value]) => [time, Number(value)] as const),
  }))
}

function sample(metric: Labels, [time, value]: Point): Sample {
  return { metric, time, value: Number(value) }
}

/** The `data` of a response of Prometheus' API. @throws with Prometheus' message for a failed query */
async function apiData(url: string): Promise<unknown> {
  const { data } = (await getJson(url)) as { readonly data: unknown }
  return data
}
