import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../folders.ts'
import { waitFor, waitForAssertion } from '../wait.ts'
import { checkAlertmanagerConfig, startAlertmanager } from './alertmanager.ts'
import { startPrometheus } from './prometheus.ts'

async function serveMetrics(render: () => string): Promise<AsyncDisposable & { readonly address: string }> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(render())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const scrape = (address: string) => ({
  global: { scrape_interval: '1s', evaluation_interval: '1s' },
  scrape_configs: [{ job_name: 'demo', static_configs: [{ targets: [address] }] }],
})

test.concurrent('Prometheus scrapes, serves queries and sends an alert to Alertmanager', async () => {
  using folder = temporaryFolder()
  const rules = folder.write(
    'rules.yml',
    `groups: [{name: g, rules: [{alert: High, expr: demo > 1, labels: {severity: warning}}]}]\n`,
  )
  await using target = await serveMetrics(() => '# TYPE demo gauge\ndemo{pool="a b"} 7\n')
  await using alertmanager = await startAlertmanager()
  await using prometheus = await startPrometheus({
    config: scrape(target.address),
    ruleFiles: [rules],
    alertmanagers: [alertmanager.address],
  })

  const [sample] = await prometheus.waitForSamples('demo')
  expect(sample).toMatchObject({ metric: { __name__: 'demo', job: 'demo', pool: 'a b' }, value: 7 })
  const now = sample?.time ?? 0
  const [series] = await prometheus.queryRange('max(demo)', now, now + 2, 1)
  expect(series?.values[0]).toEqual([now, 7])
  expect(await prometheus.query('1 + 1')).toMatchObject([{ metric: {}, value: 2 }])
  // On a loaded machine, a scrape may take longer than its interval.
  await waitForAssertion(async () =>
    expect(await prometheus.targets()).toMatchObject([{ scrapePool: 'demo', health: 'up', lastError: '' }]),
  )
  const received = await waitFor(
    async () => {
      const alerts = await alertmanager.alerts()
      return alerts.length > 0 && alerts
    },
    { what: 'the alert', detail: prometheus.log },
  )
  expect(received).toMatchObject([{ labels: { alertname: 'High', severity: 'warning' } }])
  await waitForAssertion(async () =>
    expect(await prometheus.alerts()).toMatchObject([{ state: 'firing', labels: { alertname: 'High' } }]),
  )
})

test.concurrent('old samples are stored within the out-of-order window', async () => {
  const past = Math.floor(Date.now() / 1000) - 2 * 3600
  let text = ''
  await using target = await serveMetrics(() => text)
  await using prometheus = await startPrometheus({ config: scrape(target.address), outOfOrderWindow: '3h' })
  await prometheus.waitForSamples('up')
  text = `# TYPE old gauge\nold 5 ${past * 1000}\n`
  const found = await prometheus.waitForSamples('old', past)
  expect(found).toEqual([{ metric: expect.objectContaining({ __name__: 'old' }), time: past, value: 5 }])
})

test.concurrent('a data folder is kept after the stop', async () => {
  using folder = temporaryFolder()
  await using target = await serveMetrics(() => 'kept 3\n')
  const first = await startPrometheus({ config: scrape(target.address), dataFolder: folder.path })
  const [sample] = await first.waitForSamples('kept')
  await first.stop()
  await using second = await startPrometheus({ config: {}, dataFolder: folder.path })
  expect(await second.query('kept', sample?.time)).toMatchObject([{ value: 3 }])
})

test('a failed query throws with the message of Prometheus', async () => {
  await using prometheus = await startPrometheus({ config: {} })
  await expect(prometheus.query('sum(')).rejects.toThrow(/answered 400.*parse error/)
})

test('an invalid configuration throws with the log of Prometheus', async () => {
  await expect(startPrometheus({ config: { globe: {} } })).rejects.toThrow(/field globe not found/)
})

test('amtool checks a configuration', async () => {
  using folder = temporaryFolder()
  const good = folder.write('good.yml', 'route: {receiver: a}\nreceivers: [{name: a}]\n')
  expect(await checkAlertmanagerConfig(good)).toMatchObject({ code: 0 })
  const bad = folder.write('bad.yml', 'route: {receiver: a}\nreceivers: [{name: b}]\n')
  expect(await checkAlertmanagerConfig(bad)).toMatchObject({ code: 1 })
})
