import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { alertmanagerFindings } from '../../../src/commands/doctor/services/alertmanager.ts'
import {
  createPrometheusClient,
  examinePrometheus,
} from '../../../src/commands/doctor/services/prometheus.ts'
import { freePort } from '../../support/ports.ts'
import { type Alertmanager, startAlertmanager } from '../../support/programs/alertmanager.ts'
import { type Prometheus, startPrometheus } from '../../support/programs/prometheus.ts'
import { waitFor } from '../../support/wait.ts'
import { runServer } from './doctor_setup.ts'

const INHIBITION = parse(readFileSync('deploy/prometheus/alertmanager-inhibition.yml', 'utf8')) as {
  readonly inhibit_rules: readonly object[]
}

/** The texts of the notifications that were received. */
const notifications: string[] = []
const receiver = createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  notifications.push(text)
  response.end()
})
let complete: Alertmanager
let silent: Alertmanager
let prometheus: Prometheus
let deadUrl: string

beforeAll(async () => {
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  complete = await startAlertmanager({
    route: {
      receiver: 'none',
      group_wait: '0s',
      routes: [{ receiver: 'team', matchers: ['severity =~ "critical|warning"'] }],
    },
    receivers: [{ name: 'none' }, { name: 'team', webhook_configs: [{ url }] }],
    inhibit_rules: INHIBITION.inhibit_rules,
  })
  silent = await startAlertmanager()
  deadUrl = `http://127.0.0.1:${await freePort()}`
  prometheus = await startPrometheus({
    config: {},
    ruleFiles: ['deploy/prometheus/rules/*.yml'],
    alertmanagers: [complete.address, silent.address, new URL(deadUrl).host],
  })
}, 120_000)
afterAll(async () => {
  await Promise.all([prometheus?.stop(), complete?.stop(), silent?.stop()])
  receiver.closeAllConnections()
  receiver.close()
})

async function alerting(sendsTestAlert: boolean) {
  const { signal } = new AbortController()
  const client = createPrometheusClient(prometheus.url, signal)
  // Prometheus discovers Alertmanagers some time after its start.
  await waitFor(async () => (await client.alertmanagers()).length === 3, { what: 'three Alertmanagers' })
  const reports = await examinePrometheus(
    { client, systems: [{ name: 'frankfurt', pools: undefined }], sendsTestAlert },
    { signal, onCheck: () => undefined },
  )
  const findings = reports.flatMap((report) => (report.title === 'alerting' ? report.findings : []))
  return (url: string) => findings.filter(({ subject }) => subject === url)
}

test('an Alertmanager is checked for readiness, inhibition rules and receivers', async () => {
  const of = await alerting(false)
  expect(of(complete.url)).toMatchObject([
    { status: 'ok', text: 'ready' },
    { status: 'ok', text: `loaded: ${INHIBITION.inhibit_rules.length} inhibition rules` },
    { status: 'ok', text: 'receivers with an integration: team' },
  ])
  expect(of(silent.url)).toMatchObject([
    { status: 'ok', text: 'ready' },
    { status: 'warn', text: expect.stringMatching(/^(\d+) of \1 inhibition rules are not loaded$/) },
    { status: 'warn', text: 'no receiver has an integration' },
  ])
  // The other ones respond.
  expect(of(deadUrl)).toMatchObject([{ status: 'warn', text: expect.stringContaining('ECONNREFUSED') }])
})

test('the test alert is delivered to a receiver with an integration', async () => {
  const of = await alerting(true)
  const sent = 'SdsTestAlert was sent to the receiver team; it is notified after group_wait'
  expect(of(complete.url).at(-1)).toMatchObject({ status: 'ok', text: expect.stringContaining(sent) })
  expect(of(silent.url).at(-1)).toMatchObject({
    status: 'warn',
    text: expect.stringMatching(/^SdsTestAlert was sent to the receiver \w+, which has no integration$/),
  })
  const text = await waitFor(() => notifications[0], { what: 'the notification', detail: complete.log })
  const { alerts } = JSON.parse(text) as { readonly alerts: readonly { readonly endsAt: string }[] }
  expect(alerts).toMatchObject([
    { status: 'firing', labels: { alertname: 'SdsTestAlert', severity: 'critical', system: 'frankfurt' } },
  ])
})

test('the test alert is sent also if the configuration cannot be read, and hides nothing of others', async () => {
  const sent = [{ receivers: [{ name: 'team' }], status: { state: 'active' } }]
  await using stub = await runServer(
    createServer(({ url }, response) =>
      url?.startsWith('/api/v2/status') ? response.destroy() : response.end(JSON.stringify(sent)),
    ),
  )
  await using other = await runServer(createServer((_, response) => response.end('{}')))
  const urls = [stub.url, other.url]
  const findings = await alertmanagerFindings(urls, ['frankfurt'], true, new AbortController().signal)
  expect(findings).toMatchObject([
    { status: 'ok', text: 'ready', subject: stub.url },
    { status: 'ok', text: 'ready', subject: other.url },
    { status: 'warn', text: expect.stringContaining('its configuration was not checked: ') },
    { status: 'ok', text: expect.stringContaining('SdsTestAlert was sent to the receiver team') },
    { status: 'warn', text: expect.stringContaining('Alertmanager does not tell it') },
    {
      status: 'fail',
      text: 'SdsTestAlert: is not the API of Alertmanager',
      remedy: 'correct alerting.alertmanagers in the configuration of Prometheus',
    },
  ])
})
