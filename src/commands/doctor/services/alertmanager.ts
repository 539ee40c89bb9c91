import { isScalar, parse, parseDocument, visit } from 'yaml'
import { z } from 'zod'
import { readInhibition } from '../../../alerting/package_files.ts'
import type { Labels } from '../../../catalogue.ts'
import { counted, namesText } from '../../../text.ts'
import { errorCode, errorText } from '../../../values/errors.ts'
import { type JsonRequest, listOf, optionalText, requestJson } from '../../cli/request_json.ts'
import { CheckFailure, type Finding, type FindingRow, failuresAsWarnings, firstOf } from '../check/check.ts'

/** The root URL of an Alertmanager, without a slash at its end, and the signal of requests to it. */
interface Alertmanager {
  readonly url: string
  readonly signal: AbortSignal
}

const TIMEOUT_MS = 10_000

function send({ url, signal }: Alertmanager, path: string, more: Partial<JsonRequest> = {}) {
  return requestJson(`${url}${path}`, { timeoutMs: TIMEOUT_MS, signal, ...more })
}

/**
 * @param urls of the Alertmanagers to which Prometheus sends alerts, without a slash at their end
 * @param systems the names of the systems, for the label system of the test alert
 */
export async function alertmanagerFindings(
  urls: readonly string[],
  systems: readonly string[],
  sendsTestAlert: boolean,
  signal: AbortSignal,
): Promise<Finding[]> {
  if (urls.length === 0) return [NO_ALERTMANAGER]
  const readiness = await Promise.all(urls.map((url) => readinessFinding({ url, signal })))
  const ready = urls.filter((_, index) => readiness[index]?.status === 'ok')
  const [system = ''] = systems
  // The highest severity, so that the test alert takes the route of the worst alerts.
  const labels: Labels = { severity: 'critical', ...(systems.length === 1 && { system }) }
  const more = ready.map(async (url) => {
    const config = await readConfig({ url, signal })
    const read = configFindings(url, config)
    return sendsTestAlert ? [...read, await testAlertFinding({ url, signal }, labels, config)] : read
  })
  // Prometheus sends each alert to all of them, so one that is ready is enough.
  return [...failuresAsWarnings(readiness), ...(await Promise.all(more)).flat()]
}

const NO_ALERTMANAGER: Finding = {
  status: 'warn',
  text: 'Prometheus has no Alertmanager: no notifications of alerts are sent',
  remedy: 'configure alerting.alertmanagers in the configuration of Prometheus',
}

const UNKNOWN_NAME = ['ENOTFOUND', 'EAI_AGAIN']

async function readinessFinding(alertmanager: Alertmanager): Promise<Finding> {
  const { url: subject, signal } = alertmanager
  try {
    const { status } = await send(alertmanager, '/-/ready')
    const rows: readonly FindingRow[] = [
      [status === 200, 'ok', 'ready'],
      [[401, 403].includes(status), 'warn', `not checked: refused (HTTP ${status})`, NO_AUTHENTICATION],
    ]
    return firstOf(subject, rows, 'fail', `is not ready (HTTP ${status})`, CHECK_LOG)
  } catch (failure) {
    signal.throwIfAborted()
    // Prometheus may resolve a name that this machine does not know.
    return UNKNOWN_NAME.includes(errorCode(failure))
      ? { status: 'warn', subject, text: `not checked: ${errorText(failure)}`, remedy: RUN_THERE }
      : { status: 'fail', subject, text: `did not respond: ${errorText(failure)}`, remedy: START_IT }
  }
}

const CHECK_LOG = 'check its log'
const CORRECT_URL = 'correct alerting.alertmanagers in the configuration of Prometheus'
const RUN_THERE = 'run this on a machine that knows this name, such as that of Prometheus'
const START_IT = 'start it; if only Prometheus can reach this address, run this on its machine'
const NO_AUTHENTICATION = 'allow this machine to read the API of Alertmanager without authentication'

const STATUS = z.object({ config: z.object({ original: z.string() }) })

/** The configuration; a text is the reason why it is not known. */
async function readConfig(alertmanager: Alertmanager): Promise<AlertmanagerConfig | string> {
  try {
    const { body } = await send(alertmanager, '/api/v2/status')
    const text = STATUS.safeParse(body).data?.config.original
    return text === undefined ? 'Alertmanager does not tell it' : readAlertmanagerConfig(text)
  } catch (failure) {
    alertmanager.signal.throwIfAborted()
    return errorText(failure)
  }
}

function configFindings(subject: string, config: AlertmanagerConfig | string): Finding[] {
  if (typeof config === 'string')
    return [{ status: 'warn', subject, text: `its configuration was not checked: ${config}`, remedy: TEST }]
  const { missingInhibitions: missing, inhibitions, integrated } = config
  const rules = counted(inhibitions, 'inhibition rule')
  const unloaded: FindingRow = [missing > 0, 'warn', `${missing} of ${rules} are not loaded`, COPY_RULES]
  const isSilent = integrated.length === 0
  const silent: FindingRow = [isSilent, 'warn', 'no receiver has an integration', ADD_INTEGRATION]
  return [
    firstOf(subject, [unloaded], 'ok', `loaded: ${rules}`),
    firstOf(subject, [silent], 'ok', `receivers with an integration: ${namesOf(integrated)}`),
  ]
}

const TEST = 'send an alert with --test-alert, and check that it arrives'
const COPY_RULES =
  'copy the list of alertmanager-inhibition.yml, which sds-exporter rules writes, to inhibit_rules of Alertmanager and reload it'
const ADD_INTEGRATION =
  'add an integration, such as email_configs, to the receiver, or a route to one that has it, in the configuration of Alertmanager'

const MAX_NAMES = 3

function namesOf(all: readonly string[]): string {
  return namesText([...new Set(all)], String, MAX_NAMES)
}

/** The name of the alert that `--test-alert` sends. */
const TEST_ALERT = 'SdsTestAlert'
const TEST_ALERT_MS = 300_000
const ANNOTATIONS = {
  summary: 'Test of the notifications',
  description: 'Sent by sds-exporter doctor --test-alert. Nothing is wrong; it resolves after five minutes.',
}

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

async function testAlertFinding(
  alertmanager: Alertmanager,
  labels: Labels,
  config: AlertmanagerConfig | string,
): Promise<Finding> {
  const { url: subject, signal } = alertmanager
  const endsAt = new Date(Date.now() + TEST_ALERT_MS).toISOString()
  const alert = { labels: { ...labels, alertname: TEST_ALERT }, annotations: ANNOTATIONS, endsAt }
  const filter = new URLSearchParams({ filter: `alertname="${TEST_ALERT}"` })
  try {
    const { status } = await send(alertmanager, '/api/v2/alerts', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([alert]),
    })
    if (status !== 200) throw new CheckFailure(`refused (HTTP ${status})`, CHECK_LOG)
    const { data } = SENT_ALERT.safeParse((await send(alertmanager, `/api/v2/alerts?${filter}`)).body)
    if (data === undefined) throw new CheckFailure('is not the API of Alertmanager', CORRECT_URL)
    return sentFinding(subject, data, config)
  } catch (failure) {
    signal.throwIfAborted()
    const remedy = failure instanceof CheckFailure ? failure.remedy : CHECK_LOG
    return { status: 'fail', subject, text: `${TEST_ALERT}: ${errorText(failure)}`, remedy }
  }
}

function sentFinding(
  subject: string,
  { receivers, isSuppressed }: z.output<typeof SENT_ALERT>,
  config: AlertmanagerConfig | string,
): Finding {
  const text = `${TEST_ALERT} was sent to the receiver ${namesOf(receivers)}`
  const isSilent = typeof config !== 'string' && !receivers.some((name) => config.integrated.includes(name))
  const rows: readonly FindingRow[] = [
    [isSuppressed, 'warn', `${TEST_ALERT} was sent, but is not notified`, END_SILENCE],
    [isSilent, 'warn', `${text}, which has no integration`, ADD_INTEGRATION],
  ]
  return firstOf(subject, rows, 'ok', `${text}; it is notified after group_wait, resolved after 5 minutes`)
}

const END_SILENCE = 'a silence or another alert that fires suppresses it: end it, and send it again'

type AlertmanagerConfig = ReturnType<typeof readAlertmanagerConfig>

interface InhibitRule {
  readonly source_matchers?: readonly string[]
  readonly target_matchers?: readonly string[]
}

/** https://prometheus.io/docs/alerting/latest/configuration; untrusted, so every member may be missing. */
interface Document {
  readonly receivers?: readonly ({ readonly name: string } & Readonly<Record<string, unknown>>)[]
  readonly inhibit_rules?: readonly InhibitRule[]
}

/** @param text YAML, as /api/v2/status of Alertmanager has it @throws {Error} if it is not YAML */
export function readAlertmanagerConfig(text: string) {
  const { receivers = [], inhibit_rules = [] } = (plainData(text) ?? {}) as Document
  const { inhibit_rules: ours = [] } = parse(readInhibition()) as Document
  const loaded = inhibit_rules.map(matchersOfRule)
  const missing = ours.map(matchersOfRule).filter((rule) => !loaded.some((other) => includes(other, rule)))
  return {
    /** How many inhibition rules of the package it does not have, and how many there are. */
    missingInhibitions: missing.length,
    inhibitions: ours.length,
    /** Names of the receivers with an integration, such as email_configs: others send nothing. */
    integrated: receivers.flatMap(({ name, ...rest }) =>
      Object.values(rest).some((list) => Array.isArray(list) && list.length > 0) ? [name] : [],
    ),
  }
}

/** @throws {Error} if the text is not YAML */
function plainData(text: string): unknown {
  // The search for equal keys takes quadratic time, and Alertmanager has refused them.
  const document = parseDocument(text, { uniqueKeys: false })
  const [error] = document.errors
  if (error !== undefined) throw error
  visit(document, {
    Pair(_, { key }) {
      // Keys within keys take exponential time.
      if (!isScalar(key)) throw new Error('a key is not a text')
    },
  })
  return document.toJS()
}

function matchersOfRule({ source_matchers = [], target_matchers = [] }: InhibitRule): ReadonlySet<string> {
  const notation = (side: string) => (matcher: string) => `${side} ${simplest(matcher)}`
  return new Set([...source_matchers.map(notation('source')), ...target_matchers.map(notation('target'))])
}

/** `severity =~ "critical"` → `severity="critical"`. A word as an expression, as in objects of Kubernetes, is equality. */
function simplest(matcher: string): string {
  const [, label = '', operator = '=', value = ''] =
    /^"?([^"=!~\s]+)"?\s*(=~|!~|!=|=)\s*(.*)$/s.exec(matcher.trim()) ?? []
  const text = value.startsWith('"') ? value : JSON.stringify(value)
  return `${label}${operator === '=~' && /^"\w+"$/.test(text) ? '=' : operator}${text}`
}

/** A loaded rule may have more matchers: the operator adds the namespace to the rules of an AlertmanagerConfig. */
function includes(loaded: ReadonlySet<string>, rule: ReadonlySet<string>): boolean {
  return [...rule].every((matcher) => loaded.has(matcher))
}
