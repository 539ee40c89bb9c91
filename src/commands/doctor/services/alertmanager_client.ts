import { isObject } from '../../../api/parse/json.ts'
import { errorCode, errorText } from '../../../values/errors.ts'
import { decoded, listOf, objectOf, textOf } from '../../cli/decoding.ts'
import { type JsonRequest, type JsonResponse, requestJson } from '../../cli/request_json.ts'
import { CheckFailure } from '../check/check.ts'

export type Readiness = Awaited<ReturnType<AlertmanagerClient['readiness']>>
export type SentAlert = ReturnType<typeof sentAlert>

/** The part of the HTTP API of an Alertmanager that the doctor uses. */
export type AlertmanagerClient = ReturnType<typeof createAlertmanagerClient>

/** The name of the alert that `--test-alert` sends. */
export const TEST_ALERT = 'SdsTestAlert'
const TEST_ALERT_MS = 300_000

const TIMEOUT_MS = 10_000
const CHECK_URL = 'correct alerting.alertmanagers in the configuration of Prometheus'
const UNKNOWN_NAME = ['ENOTFOUND', 'EAI_AGAIN']

/** @param url root URL, without a slash at its end */
export function createAlertmanagerClient(url: string, signal: AbortSignal) {
  const send = (path: string, more: Partial<JsonRequest>): Promise<JsonResponse> =>
    requestJson(`${url}${path}`, { timeoutMs: TIMEOUT_MS, signal, ...more })
  const request = (path: string, more: Partial<JsonRequest> = {}): Promise<JsonResponse> =>
    send(path, {
      ...more,
      noResponse: (reason) => new CheckFailure(`${path} has no response: ${reason}`, 'check its log'),
    })

  return {
    /** Without a slash at its end. */
    url,
    /** The HTTP status of /-/ready; without a response, why. */
    readiness: async () => {
      try {
        const { status } = await send('/-/ready', {})
        return { status, failure: '', isUnknownName: false }
      } catch (failure) {
        signal.throwIfAborted()
        // Prometheus may resolve a name that this machine does not know.
        const isUnknownName = UNKNOWN_NAME.includes(errorCode(failure))
        return { status: undefined, failure: errorText(failure), isUnknownName }
      }
    },
    /** The configuration as YAML; undefined if the Alertmanager does not tell it. */
    configuration: async (): Promise<string | undefined> => {
      const { body } = await request('/api/v2/status')
      const config = isObject(body) ? body['config'] : undefined
      const original = isObject(config) ? config['original'] : undefined
      return typeof original === 'string' ? original : undefined
    },
    /** Sends the test alert. @returns undefined if it was refused */
    sendTestAlert: async (labels: Readonly<Record<string, string>>) => {
      const endsAt = new Date(Date.now() + TEST_ALERT_MS).toISOString()
      const alert = { labels: { ...labels, alertname: TEST_ALERT }, annotations: ANNOTATIONS, endsAt }
      const { status } = await request('/api/v2/alerts', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify([alert]),
      })
      if (status !== 200) return undefined
      const filter = new URLSearchParams({ filter: `alertname="${TEST_ALERT}"` })
      const { body } = await request(`/api/v2/alerts?${filter}`)
      return decoded(
        body,
        sentAlert,
        () => new CheckFailure(`${url} is not the API of Alertmanager`, CHECK_URL),
      )
    },
  }
}

const ANNOTATIONS = {
  summary: 'Test of the notifications',
  description: 'Sent by sds-exporter doctor --test-alert. Nothing is wrong; it resolves after five minutes.',
}

/** The receivers of an alert, and whether a silence or an inhibition suppresses it. Names are untrusted text. */
function sentAlert(body: unknown) {
  const alerts = listOf(Array.isArray(body) ? body : [], (one) => {
    const { receivers, status } = objectOf(one)
    return {
      receivers: listOf(receivers, (receiver) => textOf(objectOf(receiver)['name'])),
      isSuppressed: textOf(objectOf(status ?? {})['state']) === 'suppressed',
    }
  })
  return {
    receivers: alerts.flatMap(({ receivers }) => receivers),
    isSuppressed: alerts.some(({ isSuppressed }) => isSuppressed),
  }
}
