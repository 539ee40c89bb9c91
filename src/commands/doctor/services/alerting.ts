import { z } from 'zod'
import { type AlertmanagerConfig, readAlertmanagerConfig } from '../../../alerting/alertmanager.ts'
import type { Labels } from '../../../catalogue.ts'
import { counted, namesText } from '../../../text.ts'
import { errorCode, errorText } from '../../../values/errors.ts'
import {
  type JsonRequest,
  type JsonResponse,
  listOf,
  optionalText,
  requestJson,
} from '../../cli/request_json.ts'
import { CheckFailure, type Finding, type FindingRow, failuresAsWarnings, firstOf } from '../check/check.ts'

type Readiness = Awaited<ReturnType<AlertmanagerClient['readiness']>>
type SentAlert = z.output<typeof SENT_ALERT>

/** The part of the HTTP API of an Alertmanager that the doctor uses. */
export type AlertmanagerClient = ReturnType<typeof createAlertmanagerClient>

/** The name of the alert that `--test-alert` sends. */
const TEST_ALERT = 'SdsTestAlert'
const TEST_ALERT_MS = 300_000

const TIMEOUT_MS = 10_000
const CHECK_URL = 'correct alerting.alertmanagers in the configuration of Prometheus'
const UNKNOWN_NAME = ['ENOTFOUND', 'EAI_AGAIN']

const STATUS = z.object({ config: z.object({ original: z.string() }) })

/** The receivers of an alert, and whether a silence or an inhibition suppresses it. Names are untrusted text. */
const SENT_ALERT = z
  .array(
    z.object({
      receivers: listOf(z.object({ name: optionalText })),
      status: z.object({ state: optionalText }),
    }),
  )
  .transform((alerts) => ({
    receivers: alerts.flatMap(({ receivers }) => receivers.map(({ name }) => name)),
    isSuppressed: alerts.some(({ status }) => status.state === 'suppressed'),
  }))

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
      return STATUS.safeParse(body).data?.config.original
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
      const { data } = SENT_ALERT.safeParse(body)
      if (data === undefined) throw new CheckFailure(`${url} is not the API of Alertmanager`, CHECK_URL)
      return data
    },
  }
}

const ANNOTATIONS = {
  summary: 'Test of the notifications',
  description: 'Sent by sds-exporter doctor --test-alert. Nothing is wrong; it resolves after five minutes.',
}

/** @param systems the names of the systems, for the label system of the test alert */
export async function alertingFindings(
  alertmanagers: readonly AlertmanagerClient[],
  systems: readonly string[],
  sendsTestAlert: boolean,
): Promise<Finding[]> {
  if (alertmanagers.length === 0) return [NO_ALERTMANAGER]
  const readiness = await Promise.all(
    alertmanagers.map(async (client) => readinessFinding(client.url, await client.readiness())),
  )
  const ready = alertmanagers.filter((_, index) => readiness[index]?.status === 'ok')
  const labels = sendsTestAlert ? testLabels(systems) : undefined
  const more = await Promise.all(ready.map((client) => findingsOf(client, labels)))
  // Prometheus sends each alert to all of them, so one that is ready is enough.
  return [...failuresAsWarnings(readiness), ...more.flat()]
}

/** The highest severity, so that the test alert takes the route of the worst alerts. */
function testLabels(systems: readonly string[]): Labels {
  const [system = ''] = systems
  return { severity: 'critical', ...(systems.length === 1 && { system }) }
}

/** @param test labels of the alert to send */
async function findingsOf(client: AlertmanagerClient, test: Labels | undefined): Promise<readonly Finding[]> {
  const { url } = client
  let config: AlertmanagerConfig | string = 'it did not respond'
  const read = await withFailure(url, async () => {
    const text = await client.configuration()
    config = typeof text === 'string' ? configOf(text) : 'Alertmanager does not tell it'
    return typeof config === 'string' ? [unreadableFinding(url, config)] : configFindings(url, config)
  })
  if (test === undefined) return read
  const sent = await withFailure(url, async () => [
    testAlertFinding(url, await client.sendTestAlert(test), config),
  ])
  return [...read, ...sent]
}

/** A failure is a finding, which does not hide the others. */
async function withFailure(url: string, run: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await run()
  } catch (failure) {
    if (!(failure instanceof CheckFailure)) throw failure
    return [{ status: 'fail', subject: url, text: failure.message, remedy: failure.remedy }]
  }
}

/** Why it cannot be read, if it cannot. */
function configOf(text: string): AlertmanagerConfig | string {
  try {
    return readAlertmanagerConfig(text)
  } catch (failure) {
    return errorText(failure)
  }
}

const NO_ALERTMANAGER: Finding = {
  status: 'warn',
  text: 'Prometheus has no Alertmanager: no notifications of alerts are sent',
  remedy: 'configure alerting.alertmanagers in the configuration of Prometheus',
}

function readinessFinding(url: string, { status, failure, isUnknownName }: Readiness): Finding {
  const rows: readonly FindingRow[] = [
    [status === 200, 'ok', 'ready'],
    [isUnknownName, 'warn', `not checked: ${failure}`, RUN_THERE],
    [status === undefined, 'fail', `did not respond: ${failure}`, START_IT],
    [status === 401 || status === 403, 'warn', `not checked: refused (HTTP ${status})`, NO_AUTHENTICATION],
  ]
  return firstOf(url, rows, 'fail', `is not ready (HTTP ${status})`, 'check its log')
}

const RUN_THERE = 'run this on a machine that knows this name, such as that of Prometheus'
const START_IT = 'start it; if only Prometheus can reach this address, run this on its machine'
const NO_AUTHENTICATION = 'allow this machine to read the API of Alertmanager without authentication'

function unreadableFinding(url: string, why: string): Finding {
  const remedy = 'send an alert with --test-alert, and check that it arrives'
  return { status: 'warn', subject: url, text: `its configuration was not checked: ${why}`, remedy }
}

function configFindings(
  url: string,
  { missingInhibitions: missing, inhibitions, integrated }: AlertmanagerConfig,
): Finding[] {
  const rules = counted(inhibitions, 'inhibition rule')
  const unloaded: FindingRow = [missing > 0, 'warn', `${missing} of ${rules} are not loaded`, COPY_RULES]
  const silent: FindingRow = [
    integrated.length === 0,
    'warn',
    'no receiver has an integration',
    ADD_INTEGRATION,
  ]
  return [
    firstOf(url, [unloaded], 'ok', `loaded: ${rules}`),
    firstOf(url, [silent], 'ok', `receivers with an integration: ${namesOf(integrated)}`),
  ]
}

const COPY_RULES =
  'copy the list of alertmanager-inhibition.yml, which sds-exporter rules writes, to inhibit_rules of Alertmanager and reload it'
const ADD_INTEGRATION =
  'add an integration, such as email_configs, to the receiver, or a route to one that has it, in the configuration of Alertmanager'

const MAX_NAMES = 3

function namesOf(all: readonly string[]): string {
  return namesText([...new Set(all)], String, MAX_NAMES)
}

/** @param sent undefined: the Alertmanager refused it @param config a text: it is not known */
function testAlertFinding(
  url: string,
  sent: SentAlert | undefined,
  config: AlertmanagerConfig | string,
): Finding {
  const { receivers = [], isSuppressed = false } = sent ?? {}
  const text = `${TEST_ALERT} was sent to the receiver ${namesOf(receivers)}`
  const isSilent = typeof config !== 'string' && !receivers.some((name) => config.integrated.includes(name))
  const rows: readonly FindingRow[] = [
    [sent === undefined, 'fail', `${TEST_ALERT} was refused`, 'check the log of Alertmanager'],
    [isSuppressed, 'warn', `${TEST_ALERT} was sent, but is not notified`, END_SILENCE],
    [isSilent, 'warn', `${text}, which has no integration`, ADD_INTEGRATION],
  ]
  return firstOf(url, rows, 'ok', `${text}; it is notified after group_wait, resolved after 5 minutes`)
}

const END_SILENCE = 'a silence or another alert that fires suppresses it: end it, and send it again'
