import { isObject } from '../../../api/parse/json.ts'
import { decoded, listOf, objectOf, textOf, textsOf } from '../../cli/decoding.ts'
import { requestJson } from '../../cli/request_json.ts'
import { CheckFailure } from '../check/check.ts'
import { type AlertmanagerClient, createAlertmanagerClient } from './alerting.ts'

export type QueriedSample = ReturnType<typeof samplesOf>[number]

/** A target that Prometheus scrapes. All members are untrusted text. */
export type ScrapeTarget = Readonly<ReturnType<typeof targetsOf>[number]>

/** A rule that Prometheus has loaded. All members are untrusted text. */
export type LoadedRule = Readonly<ReturnType<typeof ruleOf>>

/** The part of the HTTP API of Prometheus that the doctor uses. Methods throw {@link CheckFailure}. */
export type PrometheusClient = ReturnType<typeof createPrometheusClient>

/** Path that Prometheus adds to the address of an Alertmanager. */
const ALERTS_PATH = /\/api\/v\d\/alerts$/
const TIMEOUT_MS = 10_000
const CHECK_URL = 'correct --prometheus.url, or run this on a machine that can reach Prometheus'

/** @param url root URL of Prometheus, without a slash at its end */
export function createPrometheusClient(url: string, signal: AbortSignal) {
  async function request<T>(path: string, decode: (data: unknown) => T): Promise<T> {
    const noResponse = (reason: string) => new CheckFailure(`${url} did not respond: ${reason}`, CHECK_URL)
    const { status, body } = await requestJson(`${url}/api/v1/${path}`, {
      timeoutMs: TIMEOUT_MS,
      signal,
      noResponse,
    })
    const isOther = () => new CheckFailure(`${url} is not the API of Prometheus (HTTP ${status})`, CHECK_URL)
    if (isSuccess(body)) return decoded(body.data, decode, isOther)
    if (status === 401 || status === 403) {
      throw new CheckFailure(
        `${url} refused the request (HTTP ${status})`,
        'use a URL of Prometheus that needs no authentication',
      )
    }
    throw isOther()
  }

  return {
    url,
    query: async (promql: string): Promise<readonly QueriedSample[]> =>
      request(`query?${new URLSearchParams({ query: promql })}`, samplesOf),
    targets: async (): Promise<readonly ScrapeTarget[]> => request('targets?state=active', targetsOf),
    rules: async (): Promise<readonly LoadedRule[]> => request('rules', rulesOf),
    /** The Alertmanagers that alerts are sent to; it lists those that do not respond, too. */
    alertmanagers: async (): Promise<readonly AlertmanagerClient[]> => {
      const urls = await request('alertmanagers', (data) =>
        listOf(objectOf(data)['activeAlertmanagers'], (one) => textOf(objectOf(one)['url'])),
      )
      return urls.map((one) => createAlertmanagerClient(one.replace(ALERTS_PATH, ''), signal))
    },
  }
}

function isSuccess(body: unknown): body is { readonly data: unknown } {
  return isObject(body) && body['status'] === 'success' && 'data' in body
}

function samplesOf(data: unknown) {
  return listOf(objectOf(data)['result'], (sample) => {
    const { metric, value } = objectOf(sample)
    return { labels: textsOf(metric), value: Number(listOf(value, (one) => one)[1]) }
  })
}

function targetsOf(data: unknown) {
  return listOf(objectOf(data)['activeTargets'], (target) => {
    const { labels, health, lastError } = objectOf(target)
    const { job = '', instance = '' } = textsOf(labels)
    return { job, instance, health: textOf(health), lastError: textOf(lastError) }
  })
}

function rulesOf(data: unknown) {
  return listOf(objectOf(data)['groups'], (group) => listOf(objectOf(group)['rules'], ruleOf)).flat()
}

function ruleOf(rule: unknown) {
  const { type, name, query, labels, health, lastError } = objectOf(rule)
  return {
    type: textOf(type),
    name: textOf(name),
    query: textOf(query),
    /** The labels of the rule, without those of the series. */
    labels: textsOf(labels),
    health: textOf(health),
    lastError: textOf(lastError),
  }
}
