import { expect, test } from 'vitest'
import { createReportRedaction, reportText } from '../../../src/commands/doctor/report.ts'
import { parseConfig } from '../../../src/config/load.ts'

test('texts of answers get stand-ins in findings, also where they are no names that are known', () => {
  const text = `
systems: [{name: a1, base_url: "https://array.bank.example:4443", auth: {token: xyz12345}}]
resources: {data_nodes: {tls_config: {server_name: s3.bank.example}}}
`
  const [system] = parseConfig(text, { file: 'x.yml', environment: {} }).systems
  if (system === undefined) throw new Error('a system is required')
  const redaction = createReportRedaction()
  redaction.received({
    operation: 'nodes',
    method: 'GET',
    path: '/dashboard/storagepools/p/nodes',
    query: undefined,
    body: undefined,
    headers: {},
    outcome: {
      status: 200,
      at: 0,
      header: () => undefined,
      text: JSON.stringify({
        _embedded: {
          _instances: [{ displayName: 'vault-7', healthStatus: 'Wobbling', owner_note: 'call Ms Miller' }],
        },
      }),
    },
  })
  const findings = [
    { status: 'warn' as const, subject: 'vault-7', text: 'is Wobbling: call Ms Miller, 3 Good' },
    { status: 'fail' as const, text: 'https://array.bank.example:4443/login does not respond' },
    { status: 'warn' as const, text: 'the certificate is not for s3.bank.example' },
  ]
  const report = reportText(
    [{ system, reports: [{ title: 'health', findings }], versions: ['3.8.0.3.136839.4f1ba2c9d07'] }],
    [],
    '/etc/bank/sds.yml',
    redaction,
  )
  expect(report).toContain('system-1: versions 3.8.0.3.136839.4f1ba2c9d07')
  expect(report).toMatch(/node-1: is word-1: text-1, 3 Good/)
  expect(report).toContain('https://host-1.example.net:4443/login does not respond')
  expect(report).not.toMatch(/vault-7|Wobbling|Miller|bank/)
})
