import { Trouble } from '../check/check.ts'

/** An element of an instant query. */
export interface QueriedSample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** A target that Prometheus scrapes. All of it is text of others. */
export interface ScrapeTarget {
  readonly job: string
  readonly instance: string
  readonly health: string
  readonly lastError: string
  /** In seconds; undefined where this version of Prometheus does not tell. */
  readonly intervalSeconds: number | undefined
}

/** The part of Prometheus' HTTP API that the doctor reads. Every method throws {@link Trouble}. */
export interface PrometheusClient {
  readonly url: string
  query(promql: string): Promise<readonly QueriedSample[]>
  targets(): Promise<readonly ScrapeTarget[]>
}

const TIMEOUT_MS = 10_000
const REACH = 'correct --prometheus.url, or ask from a machine that reaches Prometheus'

/** @param root Prometheus' URL, with its path where it is served below one */
export function createPrometheusClient(root: URL, stop: AbortSignal): PrometheusClient {
  const url = root.href.replace(/\/+$/, '')

  async function ask(path: string): Promise<unknown> {
    const response = await fetched(`${url}/api/v1/${path}`)
    const body = await response.json().catch(() => undefined)
    if (isAnswer(body)) return body.data
    if (response.status === 401 || response.status === 403) {
      throw new Trouble(
        `${url} refuses to answer (HTTP ${response.status})`,
        'ask it where no login is needed',
      )
    }
    throw new Trouble(`${url} does not answer as Prometheus does (HTTP ${response.status})`, REACH)
  }

  async function fetched(address: string): Promise<Response> {
    try {
      return await fetch(address, { signal: AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]) })
    } catch (failure) {
      stop.throwIfAborted()
      throw new Trouble(`${url} does not answer: ${whyNot(failure)}`, REACH)
    }
  }

  return {
    url,
    query: async (promql) => samplesOf(await ask(`query?${new URLSearchParams({ query: promql })}`)),
    targets: async () => targetsOf(await ask('targets?state=active')),
  }
}

function isAnswer(body: unknown): body is { readonly data: unknown } {
  return (
    typeof body === 'object' &&
    body !== null &&
    'status' in body &&
    body.status === 'success' &&
    'data' in body
  )
}

function whyNot(failure: unknown): string {
  if (!(failure instanceof Error)) return 'unknown error'
  if (failure.name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1000} s`
  const { cause } = failure
  return cause instanceof Error && 'code' in cause ? String(cause.code) : failure.message
}

function samplesOf(data: unknown): QueriedSample[] {
  const { result = [] } = data as {
    result?: readonly { metric: Record<string, string>; value: readonly [number, string] }[]
  }
  return result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }))
}

interface TargetBody {
  readonly labels?: Readonly<Record<string, string>>
  readonly health?: string
  readonly lastError?: string
  readonly scrapeInterval?: string
}

function targetsOf(data: unknown): ScrapeTarget[] {
  const { activeTargets = [] } = data as { activeTargets?: readonly TargetBody[] }
  return activeTargets.map(({ labels = {}, health = '', lastError = '', scrapeInterval = '' }) => ({
    job: labels['job'] ?? '',
    instance: labels['instance'] ?? '',
    health,
    lastError,
    intervalSeconds: secondsOf(scrapeInterval),
  }))
}

const SECONDS = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_536_000 } as const

/** `1m30s` → 90. */
export function secondsOf(duration: string): number | undefined {
  const parts = [...duration.matchAll(/(\d+)(ms|[smhdwy])/g)]
  if (parts.length === 0) return undefined
  return parts.reduce(
    (sum, [, count, unit]) => sum + Number(count) * SECONDS[unit as keyof typeof SECONDS],
    0,
  )
}
