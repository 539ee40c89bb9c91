import { readdirSync, realpathSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { rootCertificates } from 'node:tls'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createProgram } from '../../src/commands/program.ts'
import { parseConfig } from '../../src/config/load.ts'
import { readText } from '../repository/repository.ts'
import { temporaryFolder } from '../support/folders.ts'
import { comparable, keyOf } from './helm/comparison.ts'
import { CHART, fromGolden, GOLDEN, HELM_CASES, INPUTS_FILE, inputsHash } from './helm/golden.ts'
import { schemaFindings, unknownMembers } from './kubernetes/kubernetes_schemas.ts'
import { type KubernetesObject, kustomize, type Mapping } from './kubernetes/kustomize.ts'

const names = Object.keys(HELM_CASES)
/** Cases with the objects of an overlay, which have tests of their own. */
const COMPARED = ['demo', 'production', 'openshift', 'secured', 'probes']
const others = names.filter((name) => !COMPARED.includes(name))
const { version } = JSON.parse(readText('package.json'))
const rendered = new Map(
  Object.entries(HELM_CASES).map(([name, one]) => [
    name,
    fromGolden(readText(`${GOLDEN}/${name}.yaml`), one, '.', version) as KubernetesObject[],
  ]),
)
const objectsOf = (name: string): KubernetesObject[] => rendered.get(name) ?? []
const { commands } = await createProgram()

// biome-ignore lint/suspicious/noExplicitAny: a parsed manifest
function find(objects: readonly KubernetesObject[], kind: string, name?: string): any {
  const found = objects.find((one) => one.kind === kind && (name === undefined || one.metadata.name === name))
  if (found === undefined) throw new Error(`no ${kind} ${name ?? ''} is rendered`)
  return found
}
const podOf = (objects: readonly KubernetesObject[]) => find(objects, 'Deployment').spec.template.spec

describe('the golden files', () => {
  test('are rendered from these templates and values; if not: npm run helm', () => {
    expect(inputsHash(process.cwd())).toBe(readText(INPUTS_FILE).trim())
  })

  test('are those of the cases', () => {
    const files = names.flatMap((name) => [`notes/${name}.txt`, `${name}.yaml`])
    const found = readdirSync(GOLDEN, { recursive: true }).map(String)
    expect(found.sort()).toEqual([basename(INPUTS_FILE), 'notes', ...files].sort())
  })

  test('have a case for every example of values', () => {
    const used = Object.values(HELM_CASES).flatMap(({ values }) => values.map((path) => basename(path)))
    expect(readdirSync('deploy/helm/values').filter((name) => !used.includes(name))).toEqual([])
  })
})

describe('the chart', () => {
  test('has a link to every dashboard, and to the rules', () => {
    const links = readdirSync(`${CHART}/files/dashboards`)
    const targets = links.map((name) => realpathSync(`${CHART}/files/dashboards/${name}`))
    const dashboards = readdirSync('grafana/dashboards').map((name) => resolve('grafana/dashboards', name))
    expect(targets.sort()).toEqual(dashboards.sort())
    for (const name of ['rules.json', 'pointers.json'])
      expect(realpathSync(`${CHART}/files/${name}`)).toBe(resolve('src/alerting/generated', name))
  })

  test('has the version of the package', () => {
    const chart = { apiVersion: 'v2', name: 'sds-exporter', version, appVersion: version }
    expect(parse(readText(`${CHART}/Chart.yaml`))).toMatchObject(chart)
  })
})

/** The objects of a base or overlay that a case is compared with. */
async function manifests(folder: string): Promise<KubernetesObject[]> {
  return comparable(await kustomize(`deploy/kubernetes/${folder}`))
}

describe('kustomize renders the same', () => {
  test.each(COMPARED)('overlay %s', async (name) => {
    const expected = await manifests(`overlays/${name}`)
    const found = comparable(objectsOf(name))
    expect(found.map(keyOf)).toEqual(expected.map(keyOf))
    expect(found).toEqual(expected)
  })

  test('base, apart from the configuration, the systems and the namespace of the default values', async () => {
    const expected = await manifests('base')
    const found = comparable(objectsOf('default'))
      .filter(({ kind }) => kind !== 'ConfigMap')
      .map((object) => structuredClone(object))
    const deployment = find(found, 'Deployment')
    const pod = deployment.spec.template.spec
    // The base has no configuration; that of the default values is the example of the overlay `production`.
    delete pod.volumes
    const [container] = pod.containers
    for (const key of ['args', 'volumeMounts']) delete container[key]
    container.image = 'sds-exporter'
    find(found, 'NetworkPolicy').spec.egress = []
    for (const { metadata } of found) delete (metadata as { namespace?: string }).namespace
    expect(found).toEqual(expected)
  })
})

/** The models have no Gateway API. */
const hasModel = ({ kind }: KubernetesObject): boolean => kind !== 'HTTPRoute'

/** Namespaces of objects in the case `all`, by kind. */
const NAMESPACES_OF_ALL: Readonly<Record<string, string>> = {
  AlertmanagerConfig: 'prometheus',
  PrometheusRule: 'prometheus',
  ScrapeConfig: 'prometheus',
  ServiceMonitor: 'prometheus',
  dashboards: 'grafana',
}

describe.each(others)('%s', (name) => {
  const objects = objectsOf(name)

  test('is valid by the schemas of Kubernetes and the Prometheus operator', () => {
    expect(objects.filter(hasModel).flatMap(schemaFindings)).toEqual([])
  })

  test('has unique names, in the namespace of the release or that of its values', () => {
    const keys = objects.map(keyOf)
    expect(new Set(keys).size).toBe(keys.length)
    const { namespace } = HELM_CASES[name] ?? {}
    const own = name === 'all' ? NAMESPACES_OF_ALL : {}
    const wanted = objects.map(({ kind, metadata }) => [
      keyOf({ kind, metadata } as KubernetesObject),
      metadata.name.includes('-dashboard-') ? (own['dashboards'] ?? namespace) : (own[kind] ?? namespace),
    ])
    expect(objects.map((object) => [keyOf(object), object.metadata.namespace])).toEqual(wanted)
  })

  test('has a valid command line', () => {
    const [command, ...flags] = podOf(objects).containers[0].args as string[]
    const parsed = commands.find((one) => one.name() === command)?.parseOptions(flags)
    expect(parsed).toEqual({ operands: [], unknown: [] })
  })

  test('mounts every volume, read-only, where its flags expect the files', () => {
    const { volumes = [], containers } = podOf(objects)
    const mounts: Mapping[] = containers[0].volumeMounts ?? []
    expect(mounts.map((mount) => mount['name'])).toEqual(volumes.map((volume: Mapping) => volume['name']))
    expect(mounts.filter((mount) => mount['readOnly'] !== true)).toEqual([])
    const flags: string[] = containers[0].args
    const files = flags.flatMap((flag) => /^--\S+\.file=(.*)\/[^/]+$/.exec(flag)?.[1] ?? [])
    const folders = mounts.map((mount) => mount['mountPath'])
    expect(files.filter((folder) => !folders.includes(folder))).toEqual([])
  })

  test('has Services and policies that select the pod', () => {
    const { template, selector } = find(objects, 'Deployment').spec
    const { labels } = template.metadata
    expect(labels).toMatchObject(selector.matchLabels)
    for (const { kind, spec } of objects as unknown as { kind: string; spec: { selector: object } }[]) {
      if (kind === 'Service') expect(labels).toMatchObject(spec.selector)
    }
    for (const { kind, spec } of objects as unknown as { kind: string; spec: { podSelector: Mapping } }[]) {
      if (kind === 'NetworkPolicy') expect(labels).toMatchObject(spec.podSelector['matchLabels'] as object)
    }
  })
})

test('no case has a member that Kubernetes would ignore', async () => {
  expect(await unknownMembers(others.flatMap(objectsOf).filter(hasModel))).toEqual([])
})

describe('the configuration', () => {
  test.each(['default', 'production', 'probes', 'systems'])(
    'of case %s passes the check of the program',
    (name) => {
      const text: string = find(objectsOf(name), 'ConfigMap', 'sds-exporter-config').data['sds-exporter.yml']
      using folder = temporaryFolder()
      for (const file of ['password', 'frankfurt', 'paris']) folder.write(file, 'x\n')
      folder.write('ca.pem', `${rootCertificates[0]}\n`)
      const moved = text.replaceAll('/run/secrets/sds-exporter/', `${folder.path}/`)
      expect(moved).not.toBe(text)
      const config = parseConfig(moved, { file: 'sds-exporter.yml', environment: {} })
      expect(config.systems).toHaveLength(name === 'systems' ? 2 : 1)
      expect(config.systems[0]?.poll.schedule === '').toBe(name === 'probes')
    },
  )
})

test('the administration has a Service only with a web configuration, and listens on the pod alone without', () => {
  const argsOf = (name: string) => podOf(objectsOf(name)).containers[0].args.join(' ')
  const services = (name: string) =>
    objectsOf(name)
      .map(keyOf)
      .filter((key) => key.startsWith('Service '))
  expect(argsOf('default')).toMatch(/--admin\.listen-address=$/)
  expect(argsOf('least')).toMatch(/--admin\.listen-address=127\.0\.0\.1:9439$/)
  expect(services('least')).toEqual(['Service ecs-sds-exporter'])
  expect(argsOf('all')).toContain(
    '--admin.listen-address=:9439 --admin.config.file=/run/secrets/sds-exporter-admin/web-config.yml ' +
      '--admin.allowed-hosts=storage-admin.monitoring.svc,admin.example.net,localhost:8000',
  )
  expect(services('all')).toContain('Service storage-admin')
})

describe('monitors', () => {
  const objects = objectsOf('all')

  test('scrape every replica once: of all Services, the ServiceMonitor selects one', () => {
    const { matchLabels, matchExpressions } = find(objects, 'ServiceMonitor').spec.selector
    const [{ key, operator, values }] = matchExpressions
    expect([matchExpressions.length, operator]).toEqual([1, 'NotIn'])
    const services = objects.filter(({ kind }) => kind === 'Service')
    const selected = services.filter(({ metadata: { labels = {} } }) => {
      const isNamed = Object.entries(matchLabels).every(([name, value]) => labels[name] === value)
      return isNamed && !values.includes(labels[key])
    })
    expect(selected.map(keyOf)).toEqual(['Service storage'])
    // The values of this case give the Service a component of their own.
    expect(selected[0]?.metadata.labels?.[key]).toBe('metrics')
    expect(services.map(keyOf)).toContain('Service storage-replicas')
  })
})

test('rules have the settings of the section alerting of config', () => {
  const objects = objectsOf('all')
  const { groups } = find(objects, 'PrometheusRule', 'storage-alerts').spec
  const alerts = groups.flatMap(({ rules }: { rules: Mapping[] }) => rules)
  const bad = alerts.find(({ alert }: Mapping) => alert === 'SdsNodeBad')
  const labels = { team: 'storage', severity: 'critical' }
  expect(bad).toMatchObject({ for: '1m', keep_firing_for: '30m', labels })
  expect(bad.annotations).toMatchObject({ runbook_url: 'https://wiki.example.net/alerts.md#sdsnodebad' })
  expect(alerts.map(({ alert }: Mapping) => alert)).not.toContain('SdsNodesCpuBusy')
  const values = parse(readText('test/deploy/helm/all.yaml'))
  expect(values.config).toEqual(parse(readText('test/deploy/helm/alerting.yml')))
})

test('every value is used by a template', () => {
  const templates = readdirSync(`${CHART}/templates`).map((name) => readText(`${CHART}/templates/${name}`))
  const unused = Object.keys(parse(readText(`${CHART}/values.yaml`))).filter(
    (key) => !templates.some((text) => new RegExp(`\\.Values\\.${key}\\b`).test(text)),
  )
  expect(unused).toEqual([])
})

describe('the schema of the values', () => {
  const validate = new Ajv({ strict: false }).compile(JSON.parse(readText(`${CHART}/values.schema.json`)))
  const defaults = parse(readText(`${CHART}/values.yaml`))

  test('accepts the values of every case', () => {
    for (const { values } of Object.values(HELM_CASES)) {
      const merged = values.map((path) => parse(readText(path))).reduce(merge, defaults)
      expect(validate(merged), JSON.stringify(validate.errors)).toBe(true)
    }
  })

  test.each<[string, object]>([
    ['TLS with a Secret', { web: { tls: true, existingSecret: 'a' } }],
    ['the condition and the values of a parent chart', { enabled: true, global: { region: 'a' } }],
    ['a flag of the log', { extraArgs: ['--log.level=debug', '--config.auto-reload'] }],
  ])('accepts %s', (_, values) => {
    expect(validate(merge(defaults, values)), JSON.stringify(validate.errors)).toBe(true)
  })

  test.each<[string, object]>([
    ['an unknown key', { system: [] }],
    ['an unknown key of the configuration', { config: { pol: {} } }],
    ['a configuration without systems', { config: { systems: [] } }],
    ['a tag as a digest', { image: { digest: 'latest' } }],
    ['no source of scrapes, which would admit all', { networkPolicy: { from: [] } }],
    ['no port, which would admit all', { networkPolicy: { systems: [{ cidr: '192.0.2.0/24', ports: [] }] } }],
    ['TLS without a Secret', { web: { tls: true } }],
    ['an address of a listener', { extraArgs: ['--web.listen-address=:1'] }],
    ['a path that monitors do not know', { extraArgs: ['--web.telemetry-path=/storage'] }],
    ['a condition that Helm reads only of dependencies', { enabled: false }],
    ['a file that the chart mounts', { extraArgs: ['--config.file=/x'] }],
    ['two sources of the configuration', { existingConfigMap: 'a', existingConfigSecret: 'b' }],
    ['an Ingress without a host', { ingress: { enabled: true } }],
    ['an HTTPRoute without a Gateway', { httpRoute: { enabled: true } }],
    ['an address that is no network', { networkPolicy: { systems: [{ cidr: 'ecs1', ports: [443] }] } }],
  ])('refuses %s', (_, values) => {
    expect(validate(merge(defaults, values))).toBe(false)
  })
})

/** Values as Helm merges them: sections are merged, lists replaced. */
function merge(before: unknown, after: unknown): unknown {
  if (!isMapping(before) || !isMapping(after)) return after
  const merged = Object.entries(after).map(([key, value]) => [key, merge(before[key], value)])
  return { ...before, ...Object.fromEntries(merged) }
}

const isMapping = (value: unknown): value is Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
