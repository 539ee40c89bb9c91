import { isObject } from '../../../api/parse/json.ts'
import { durationOf } from '../../../time_units.ts'
import { requestJson } from '../../cli/request_json.ts'
import { CheckFailure } from '../check/check.ts'
import { type AlertmanagerClient, createAlertmanagerClient } from './alertmanager_client.ts'

export type QueriedSample = ReturnType<typeof samplesOf>[number]

/** A target that Prometheus scrapes. All members are untrusted text. */
export type ScrapeTarget = Readonly<ReturnType<typeof targetsOf>[number]>

/** A rule that Prometheus has loaded. All members are untrusted text. */
export type LoadedRule = Readonly<typeof EMPTY_RULE>

/** The part of the HTTP API of Prometheus that the doctor uses. Methods throw {@link CheckFailure}. */
export type PrometheusClient = ReturnType<typeof createPrometheusClient>

/** What Prometheus adds to the address of an Alertmanager and its path prefix. */
const ALERTS_PATH = /\/api\/v\d\/alerts$/
const TIMEOUT_MS = 10_000
const CHECK_URL = 'correct --prometheus.url, or run this on a machine that can reach Prometheus'

/** @param url root URL of Prometheus, without a slash at its end */
export function createPrometheusClient(url: string, signal: AbortSignal) {
  async function request(path: string): Promise<unknown> {
    const noResponse = (reason: string) => new CheckFailure(`${url} did not respond: ${reason}`, CHECK_URL)
    const { status, body } = await requestJson(`${url}/api/v1/${path}`, {
      timeoutMs: TIMEOUT_MS,
      signal,
      noResponse,
    })
    if (isSuccess(body)) return body.data
    if (status === 401 || status === 403) {
      throw new CheckFailure(
        `${url} refused the request (HTTP ${status})`,
        'use a URL of Prometheus that needs no authentication',
      )
    }
    throw new CheckFailure(`${url} is not the API of Prometheus (HTTP ${status})`, CHECK_URL)
  }

  return {
    url,
    query: async (promql: string): Promise<readonly QueriedSample[]> =>
      samplesOf(await request(`query?${new URLSearchParams({ query: promql })}`)),
    targets: async (): Promise<readonly ScrapeTarget[]> => targetsOf(await request('targets?state=active')),
    rules: async (): Promise<readonly LoadedRule[]> => rulesOf(await request('rules')),
    /** The configuration as YAML. */
    configuration: async (): Promise<string> => {
      const { yaml = '' } = (await request('status/config')) as { yaml?: string }
      return yaml
    },
    /** The Alertmanagers that alerts are sent to; it lists those that do not respond, too. */
    alertmanagers: async (): Promise<readonly AlertmanagerClient[]> => {
      const { activeAlertmanagers = [] } = (await request('alertmanagers')) as {
        activeAlertmanagers?: readonly { readonly url: string }[]
      }
      const roots = activeAlertmanagers.map(({ url }) => url.replace(ALERTS_PATH, ''))
      return roots.map((root) => createAlertmanagerClient(root, signal))
    },
  }
}

function isSuccess(body: unknown): body is { readonly data: unknown } {
  return isObject(body) && body['status'] === 'success' && 'data' in body
}

function samplesOf(data: unknown) {
  const { result = [] } = data as {
    result?: readonly { metric: Readonly<Record<string, string>>; value: readonly [number, string] }[]
  }
  return result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }))
}

interface TargetBody {
  readonly health?: string
  readonly lastError?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly scrapeInterval?: string
  readonly scrapeUrl?: string
}

function targetsOf(data: unknown) {
  const { activeTargets = [] } = data as { activeTargets?: readonly TargetBody[] }
  return activeTargets.map(
    ({ labels = {}, health = '', lastError = '', scrapeInterval = '', scrapeUrl = '' }) => ({
      job: labels['job'] ?? '',
      instance: labels['instance'] ?? '',
      health,
      lastError,
      /** The path of the scrape URL; empty if it is not a URL. */
      path: URL.parse(scrapeUrl)?.pathname ?? '',
      /** Undefined if this version of Prometheus does not report it. */
      intervalSeconds: secondsOf(scrapeInterval),
    }),
  )
}

const EMPTY_RULE = {
  type: '',
  name: '',
  query: '',
  /** The labels of the rule, without those of the series. */
  labels: {} as Readonly<Record<string, string>>,
  health: '',
  lastError: '',
}

function rulesOf(data: unknown): LoadedRule[] {
  const { groups = [] } = data as { groups?: readonly { rules?: readonly Partial<LoadedRule>[] }[] }
  return groups.flatMap(({ rules = [] }) => rules.map((rule) => ({ ...EMPTY_RULE, ...rule })))
}

const SECONDS = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_536_000 } as const

/** `1m30s` → 90. */
export function secondsOf(duration: string): number | undefined {
  return durationOf(duration, SECONDS) || undefined
}
