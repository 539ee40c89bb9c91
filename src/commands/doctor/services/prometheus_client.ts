import { z } from 'zod'
import { listOf, optionalText, requestJson } from '../../cli/request_json.ts'
import { CheckFailure } from '../check/check.ts'
import { type AlertmanagerClient, createAlertmanagerClient } from './alerting.ts'

const LABELS = z
  .record(z.string(), z.string())
  .nullish()
  .transform((labels) => labels ?? {})

const SAMPLE = z
  .object({ metric: LABELS, value: z.tuple([z.number(), z.string()]) })
  .transform(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }))
export type QueriedSample = Readonly<z.output<typeof SAMPLE>>

const TARGET = z
  .object({ labels: LABELS, health: optionalText, lastError: optionalText })
  .transform(({ labels: { job = '', instance = '' }, ...state }) => ({ job, instance, ...state }))
/** A target that Prometheus scrapes. All members are untrusted text. */
export type ScrapeTarget = Readonly<z.output<typeof TARGET>>

const RULE = z.object({
  type: optionalText,
  name: optionalText,
  query: optionalText,
  /** The labels of the rule, without those of the series. */
  labels: LABELS,
  health: optionalText,
  lastError: optionalText,
})
/** A rule that Prometheus has loaded. All members are untrusted text. */
export type LoadedRule = Readonly<z.output<typeof RULE>>

const SAMPLES = z.object({ result: listOf(SAMPLE) })
const TARGETS = z.object({ activeTargets: listOf(TARGET) })
const RULES = z.object({ groups: listOf(z.object({ rules: listOf(RULE) })) })
const ALERTMANAGERS = z.object({ activeAlertmanagers: listOf(z.object({ url: optionalText })) })

/** The part of the HTTP API of Prometheus that the doctor uses. Methods throw {@link CheckFailure}. */
export type PrometheusClient = ReturnType<typeof createPrometheusClient>

/** Path that Prometheus adds to the address of an Alertmanager. */
const ALERTS_PATH = /\/api\/v\d\/alerts$/
const TIMEOUT_MS = 10_000
const CHECK_URL = 'correct --prometheus.url, or run this on a machine that can reach Prometheus'

/** @param url root URL of Prometheus, without a slash at its end */
export function createPrometheusClient(url: string, signal: AbortSignal) {
  async function request<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    const noResponse = (reason: string) => new CheckFailure(`${url} did not respond: ${reason}`, CHECK_URL)
    const { status, body } = await requestJson(`${url}/api/v1/${path}`, {
      timeoutMs: TIMEOUT_MS,
      signal,
      noResponse,
    })
    const { data: response } = z.object({ status: z.literal('success'), data: schema }).safeParse(body)
    if (response !== undefined) return response.data
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
      (await request(`query?${new URLSearchParams({ query: promql })}`, SAMPLES)).result,
    targets: async (): Promise<readonly ScrapeTarget[]> =>
      (await request('targets?state=active', TARGETS)).activeTargets,
    rules: async (): Promise<readonly LoadedRule[]> =>
      (await request('rules', RULES)).groups.flatMap(({ rules }) => rules),
    /** The Alertmanagers that alerts are sent to; it lists those that do not respond, too. */
    alertmanagers: async (): Promise<readonly AlertmanagerClient[]> => {
      const { activeAlertmanagers: urls } = await request('alertmanagers', ALERTMANAGERS)
      return urls.map(({ url: one }) => createAlertmanagerClient(one.replace(ALERTS_PATH, ''), signal))
    },
  }
}
