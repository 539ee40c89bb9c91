import { readAlertmanagerConfig } from '../../../alerting/alertmanager.ts'
import type { Labels } from '../../../catalogue.ts'
import { errorText } from '../../../values/errors.ts'
import { CheckFailure, type Finding, failuresAsWarnings } from '../check/check.ts'
import {
  inhibitionFinding,
  NO_ALERTMANAGER,
  readinessFinding,
  routeFindings,
  testAlertFinding,
  unreadableFinding,
} from './alerting_findings.ts'
import type { AlertmanagerClient } from './alertmanager_client.ts'
import type { LoadedRule } from './prometheus_client.ts'
import { isOurs } from './prometheus_findings.ts'

/**
 * Whether each Alertmanager can notify somebody of an alert.
 * @param systems the names of the systems, for routes by the label system
 */
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
  // Prometheus sends alerts to all of them: one is enough.
  return [...failuresAsWarnings(readiness), ...(await Promise.all(more)).flat()]
}

/** The labels of our alerts as they arrive, as far as they do not depend on the series. */
function labelsOf(rules: readonly LoadedRule[], systems: readonly string[]): Labels[] {
  const alerts = rules.filter((rule) => rule.type === 'alerting' && isOurs(rule))
  return alerts.flatMap(({ name, labels }) =>
    systems.map((system) => ({ ...labels, alertname: name, system })),
  )
}

/** As critical as an alert can be, so that it goes where the worst one goes. */
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
