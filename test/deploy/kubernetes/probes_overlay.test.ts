import { rootCertificates } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { PROMETHEUS } from '../../../grafana/mixin/settings.ts'
import { parseConfig } from '../../../src/config/load.ts'
import { readText } from '../../repository/repository.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { checkConfig, checkRules } from '../../support/promtool.ts'
import { type KubernetesObject, kustomize } from './kustomize.ts'
import { OVERLAY } from './probes_setup.ts'

/** The label of the pods of a shard. */
const SHARD = 'shard'
const probes = await kustomize(OVERLAY)
const ofKind = (kind: string): readonly KubernetesObject[] => probes.filter((object) => object.kind === kind)

function find(kind: string, name = 'sds-exporter') {
  const found = ofKind(kind).find(({ metadata }) => metadata.name === name)
  if (found === undefined) throw new Error(`no ${kind} ${name} is rendered`)
  // biome-ignore lint/suspicious/noExplicitAny: a parsed manifest
  return found as any
}

const service = find('Service')
const shards = [0, 1]
const servers = shards.map((shard) => find('StatefulSet', `prometheus-${shard}`))
const filesOf = (prefix: string): Record<string, string> =>
  ofKind('ConfigMap').find(({ metadata }) => metadata.name.startsWith(prefix))?.['data'] as never
// biome-ignore lint/suspicious/noExplicitAny: parsed configurations
const configs: any[] = shards.map((shard) =>
  parse(filesOf('sds-prometheus-config')[`prometheus-${shard}.yml`] ?? ''),
)

test('the exporters poll only when they are probed', () => {
  const text = filesOf('sds-exporter-config')['sds-exporter.yml'] ?? ''
  using folder = temporaryFolder()
  folder.write('password', 'x\n')
  folder.write('ca.pem', `${rootCertificates[0]}\n`)
  const moved = text.replaceAll('/run/secrets/sds-exporter/', `${folder.path}/`)
  const { systems } = parseConfig(moved, { file: 'sds-exporter.yml', environment: {} })
  expect([systems[0]?.poll.schedule, systems[0]?.performance.schedule]).toEqual(['', ''])
  expect(find('Deployment').spec.replicas).toBeGreaterThan(1)
})

describe('the servers', () => {
  test('are two for each shard, which differ in its number only', () => {
    expect(servers.map(({ spec }) => spec.replicas)).toEqual([2, 2])
    const texts = ['StatefulSet', 'PodDisruptionBudget'].map((kind) =>
      shards.map((shard) =>
        JSON.stringify(find(kind, `prometheus-${shard}`))
          .replaceAll(`prometheus-${shard}`, 'prometheus-N')
          .replaceAll(`"${SHARD}":"${shard}"`, ''),
      ),
    )
    for (const [first, second] of texts) expect(second).toBe(first)
  })

  test('of a shard run on different nodes, and one of them is kept', () => {
    for (const shard of shards) {
      const { template, selector } = find('StatefulSet', `prometheus-${shard}`).spec
      expect(selector.matchLabels).toMatchObject({ [SHARD]: String(shard) })
      expect(template.metadata.labels).toMatchObject(selector.matchLabels)
      expect(template.spec.topologySpreadConstraints).toMatchObject([
        { topologyKey: 'kubernetes.io/hostname', labelSelector: selector },
      ])
      const budget = find('PodDisruptionBudget', `prometheus-${shard}`).spec
      expect(budget).toEqual({ maxUnavailable: 1, selector })
    }
  })

  test('have a configuration for each shard, which promtool accepts', async () => {
    const files = filesOf('sds-prometheus-config')
    expect(Object.keys(files)).toEqual(shards.map((shard) => `prometheus-${shard}.yml`))
    using folder = temporaryFolder()
    for (const [shard, text] of Object.values(files).entries()) {
      const [{ args }] = servers[shard].spec.template.spec.containers
      expect(args).toContain(`--config.file=/etc/prometheus/prometheus-${shard}.yml`)
      expect(await checkConfig(folder.write(`${shard}.yml`, text))).toMatchObject({ code: 0 })
    }
  })

  test('have the label of the replica from the name of the pod, and the rules', () => {
    for (const { spec } of servers) {
      const [{ env, volumeMounts }] = spec.template.spec.containers
      expect(env).toEqual([{ name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }])
      const rules = spec.template.spec.volumes.find(({ name }: { name: string }) => name === 'rules')
      expect(Object.keys(filesOf(rules.configMap.name)).sort()).toEqual([
        'sds-alerts.yml',
        'sds-recording.yml',
      ])
      const mount = volumeMounts.find(({ name }: { name: string }) => name === 'rules')
      for (const config of configs) {
        expect(config.global.external_labels.replica).toBe(`\${POD_NAME}`)
        expect(config.rule_files).toEqual([`${mount.mountPath}/*.yml`])
      }
    }
  })

  test('divide the systems: the configurations differ in their share only', () => {
    const shares = configs.map(({ global, scrape_configs: [systems] }) => {
      const [hash, keep] = systems.relabel_configs
      expect(hash).toMatchObject({
        source_labels: ['__param_system'],
        modulus: shards.length,
        action: 'hashmod',
      })
      expect(keep).toMatchObject({ source_labels: [hash.target_label], action: 'keep' })
      return [global.external_labels.shard, keep.regex]
    })
    expect(shares).toEqual(shards.map((shard) => [String(shard), String(shard)]))
    const [first, second] = configs.map((config, shard) =>
      JSON.stringify(config).replaceAll(`"${shard}"`, '"share"'),
    )
    expect(second).toBe(first)
  })

  test('send alerts without the labels of the server', () => {
    const [relabelling] = configs[0].alerting.alert_relabel_configs
    expect(relabelling).toEqual({ regex: 'shard|replica', action: 'labeldrop' })
  })

  test('discover through the Service, and scrape every exporter under the job name of the rules', () => {
    const [systems, own] = configs[0].scrape_configs
    const [{ port }] = service.spec.ports
    expect(systems).toMatchObject({
      honor_labels: true,
      http_sd_configs: [{ url: `http://${service.metadata.name}:${port}/sd` }],
    })
    expect(own).toMatchObject({ job_name: PROMETHEUS.job, dns_sd_configs: [{ type: 'A', port }] })
    const headless = find('Service', own.dns_sd_configs[0].names[0])
    expect(headless.spec).toMatchObject({ clusterIP: 'None', selector: service.spec.selector })
    expect(configs[0].global.scrape_interval).toBe(`${PROMETHEUS.scrapeIntervalSeconds / 60}m`)
  })

  test('meet the restricted pod security standard', () => {
    for (const { spec } of servers) {
      const [server] = spec.template.spec.containers
      expect(spec.template.spec).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      })
      const [exporter] = find('Deployment').spec.template.spec.containers
      expect(server.securityContext).toEqual(exporter.securityContext)
      expect(Object.keys(server.resources).sort()).toEqual(['limits', 'requests'])
    }
  })

  test('may connect to the exporters, to the store and to Alertmanager only', () => {
    const [rule] = find('NetworkPolicy').spec.ingress
    const policy = find('NetworkPolicy', 'prometheus').spec
    expect(rule.from).toEqual([{ podSelector: policy.podSelector }])
    for (const { spec } of servers)
      expect(spec.template.metadata.labels).toMatchObject(policy.podSelector.matchLabels)
    const ports = policy.egress.flatMap((one: { ports: { port: number }[] }) =>
      one.ports.map(({ port }) => port),
    )
    const urls = configs.flatMap(({ remote_write }) => remote_write.map(({ url }: { url: string }) => url))
    const [alertmanager] = configs[0].alerting.alertmanagers[0].static_configs[0].targets
    const wanted = [...urls, `http://${alertmanager}`].map((url) => Number(new URL(url).port))
    expect(new Set(ports)).toEqual(new Set([53, service.spec.ports[0].port, ...wanted]))
  })

  test('are monitored under another job name than the exporters', () => {
    const { spec } = find('ServiceMonitor', 'prometheus')
    const headless = find('Service', 'prometheus')
    expect(headless.metadata.labels).toMatchObject(spec.selector.matchLabels)
    expect(headless.metadata.labels[spec.jobLabel]).not.toBe(PROMETHEUS.job)
    expect(spec).toMatchObject({
      podTargetLabels: [SHARD],
      endpoints: [{ port: headless.spec.ports[0].name, path: '/metrics' }],
    })
  })
})

test('the rules of the store are the alerts on shards, as in the rules', async () => {
  const file = `${OVERLAY}/store-rules.yml`
  expect(await checkRules(file)).toMatchObject({ code: 0 })
  const rulesOf = (path: string) =>
    parse(readText(path)).groups.flatMap(({ rules }: { rules: { alert?: string }[] }) => rules)
  const all = rulesOf('deploy/prometheus/rules/sds-alerts.yml')
  const aboutShards = all.filter(({ alert }: { alert?: string }) => alert?.startsWith('SdsShard'))
  expect(aboutShards).toHaveLength(2)
  expect(rulesOf(file)).toEqual(aboutShards)
})
