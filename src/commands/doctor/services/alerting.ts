import {
  type AlertmanagerConfig,
  type Receiver,
  readAlertmanagerConfig,
} from '../../../alerting/alertmanager.ts'
import type { Labels } from '../../../catalogue.ts'
import { counted, namesText } from '../../../text.ts'
import { errorText } from '../../../values/errors.ts'
import {
  allOf,
  CheckFailure,
  type Finding,
  type FindingRow,
  failuresAsWarnings,
  firstOf,
} from '../check/check.ts'
import { type AlertmanagerClient, type Readiness, type SentAlert, TEST_ALERT } from './alertmanager_client.ts'
import type { LoadedRule } from './prometheus_client.ts'
import { isOurs } from './prometheus_findings.ts'

/** @param systems the names of the systems, for routes by the label system */
export async function alertingFindings(
  alertmanagers: readonly AlertmanagerClient[],
  rules: readonly LoadedRule[],
  systems: readonly string[],
  sendsTestAlert: boolean,
): Promise<Finding[]> {
  if (alertmanagers.length === 0) return [NO_ALERTMANAGER]
  const readiness = await Promise.all(
    alertmanagers.map(async (client) => readinessFinding(client.url, await client.readiness())),
  )
  const ready = alertmanagers.filter((_, index) => readiness[index]?.status === 'ok')
  const alerts = labelsOf(rules, systems)
  const labels = testLabels(systems)
  const more = ready.map(async (client) => [
    ...(await findingsOf(client, () => configurationFindings(client, alerts))),
    ...(sendsTestAlert
      ? await findingsOf(client, async () => [
          testAlertFinding(client.url, await client.sendTestAlert(labels)),
        ])
      : []),
  ])
  // Prometheus sends each alert to all of them, so one that is ready is enough.
  return [...failuresAsWarnings(readiness), ...(await Promise.all(more)).flat()]
}

/** The labels of our alerts as they arrive, as far as they do not depend on the series. */
function labelsOf(rules: readonly LoadedRule[], systems: readonly string[]): Labels[] {
  const alerts = rules.filter((rule) => rule.type === 'alerting' && isOurs(rule))
  return alerts.flatMap(({ name, labels }) =>
    systems.map((system) => ({ ...labels, alertname: name, system })),
  )
}

/** The highest severity, so that the test alert takes the route of the worst alerts. */
function testLabels(systems: readonly string[]): Labels {
  const [system = ''] = systems
  return { severity: 'critical', ...(systems.length === 1 && { system }) }
}

async function configurationFindings(
  { url, configuration }: AlertmanagerClient,
  alerts: readonly Labels[],
): Promise<Finding[]> {
  const text = await configuration()
  if (text === undefined) return [unreadableFinding(url, 'Alertmanager does not tell it')]
  try {
    const config = readAlertmanagerConfig(text)
    return [inhibitionFinding(url, config), ...routeFindings(url, alerts, config.receiversOf)]
  } catch (failure) {
    return [unreadableFinding(url, errorText(failure))]
  }
}

/** A failure of one Alertmanager does not hide the findings of the others. */
async function findingsOf(
  { url }: AlertmanagerClient,
  run: () => Promise<Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await run()
  } catch (failure) {
    if (!(failure instanceof CheckFailure)) throw failure
    return [{ status: 'fail', subject: url, text: failure.message, remedy: failure.remedy }]
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
  return {
    status: 'warn',
    subject: url,
    text: `its configuration was not checked: ${why}`,
    remedy: CHECK_ROUTE,
  }
}

const CHECK_ROUTE = 'send an alert with --test-alert, and check that it arrives'

function inhibitionFinding(
  url: string,
  {
    missingInhibitions: missing,
    inhibitions,
  }: Pick<AlertmanagerConfig, 'missingInhibitions' | 'inhibitions'>,
): Finding {
  const text = `${missing} of ${counted(inhibitions, 'inhibition rule')} are not loaded`
  const rows: readonly FindingRow[] = [[missing > 0, 'warn', text, COPY_RULES]]
  return firstOf(url, rows, 'ok', `loaded: ${counted(inhibitions, 'inhibition rule')}`)
}

const COPY_RULES =
  'copy the list of alertmanager-inhibition.yml, which sds-exporter rules writes, to inhibit_rules of Alertmanager and reload it'

/** @param alerts the labels of the loaded alerts; without any, there is no finding */
function routeFindings(
  url: string,
  alerts: readonly Labels[],
  receiversOf: (alert: Labels) => readonly Receiver[],
): Finding[] {
  const routed = alerts.map((alert) => ({ alert, receivers: receiversOf(alert) }))
  const silent = routed.filter(({ receivers }) => !receivers.some(({ hasIntegration }) => hasIntegration))
  const places = namesOf(silent.flatMap(({ receivers }) => receivers.map(({ name }) => name)))
  const names = namesOf(silent.map(({ alert }) => alert['alertname'] ?? ''))
  const text = `no notification is sent of ${names}: the receiver ${places} has no integration`
  const reached = routed.flatMap(({ receivers }) => receivers.map(({ name }) => name))
  // It is usual that alerts with the severity info are sent nowhere.
  const isMinor = silent.every(({ alert }) => alert['severity'] === 'info')
  const rows: readonly FindingRow[] = [
    [silent.length > 0 && !isMinor, 'warn', text, ADD_INTEGRATION],
    [silent.length > 0, 'info', text],
    [alerts.length > 0, 'ok', `alerts reach the receiver ${namesOf(reached)}`],
  ]
  return allOf(url, rows).slice(0, 1)
}

const ADD_INTEGRATION =
  'add an integration, such as email_configs, to the receiver, or a route to one that has it, in the configuration of Alertmanager'

const MAX_NAMES = 3

function namesOf(all: readonly string[]): string {
  return namesText([...new Set(all)], String, MAX_NAMES)
}

/** @param sent undefined: the Alertmanager refused it */
function testAlertFinding(url: string, sent: SentAlert | undefined): Finding {
  const to = sent === undefined ? '' : namesOf(sent.receivers)
  const rows: readonly FindingRow[] = [
    [sent === undefined, 'fail', `${TEST_ALERT} was refused`, 'check the log of Alertmanager'],
    [sent?.isSuppressed === true, 'warn', `${TEST_ALERT} was sent, but is not notified`, END_SILENCE],
  ]
  const text = `${TEST_ALERT} was sent to the receiver ${to}; it is notified after group_wait, resolved after 5 minutes`
  return firstOf(url, rows, 'ok', text)
}

const END_SILENCE = 'a silence or another alert that fires suppresses it: end it, and send it again'
