import { readdirSync } from 'node:fs'
import { rootCertificates } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { GRAFANA, PROMETHEUS } from '../../../grafana/mixin/settings.ts'
import { createProgram } from '../../../src/commands/program.ts'
import { parseConfig } from '../../../src/config/load.ts'
import { loadWebFile } from '../../../src/config/web_file.ts'
import { readText } from '../../repository/repository.ts'
import { makeAuthority } from '../../server/listener/certificates.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { checkRules } from '../../support/promtool.ts'
import { effective, parseDockerfile } from '../docker/dockerfile.ts'
import { schemaFindings, unknownMembers } from './kubernetes_schemas.ts'
import { type KubernetesObject, kustomize, type Mapping } from './kustomize.ts'

const OVERLAYS = 'deploy/kubernetes/overlays'
/** `kubectl apply` keeps a copy of the object in an annotation. */
const ANNOTATION_LIMIT_BYTES = 262_144
const demo = await kustomize(`${OVERLAYS}/demo`)
const production = await kustomize(`${OVERLAYS}/production`)
const openshift = await kustomize(`${OVERLAYS}/openshift`)
const probes = await kustomize(`${OVERLAYS}/probes`)
const secured = await kustomize(`${OVERLAYS}/secured`)
const all = [
  ['demo', demo],
  ['openshift', openshift],
  ['probes', probes],
  ['production', production],
  ['secured', secured],
] as const
/** Overlays without fixed user and group ids. */
const ASSIGNED_IDS: readonly string[] = ['openshift']

function find(objects: readonly KubernetesObject[], kind: string, name = 'sds-exporter') {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name)
  if (found === undefined) throw new Error(`no ${kind} ${name} is rendered`)
  // biome-ignore lint/suspicious/noExplicitAny: a parsed manifest
  return found as any
}

interface NetworkPolicySpec {
  readonly policyTypes: readonly string[]
  readonly ingress: readonly { readonly from: unknown[]; readonly ports: unknown[] }[]
  readonly egress: readonly { readonly to?: unknown[]; readonly ports?: unknown[] }[]
}

const podOf = (objects: readonly KubernetesObject[]) => find(objects, 'Deployment').spec.template.spec
const containerOf = (objects: readonly KubernetesObject[]) => podOf(objects).containers[0]

test('every overlay is tested', () => {
  expect(all.map(([name]) => name)).toEqual(readdirSync(OVERLAYS).sort())
})

test('no overlay has an unknown member, which Kubernetes would ignore', async () => {
  expect(await unknownMembers(all.flatMap(([, objects]) => objects))).toEqual([])
})

describe.each(all)('%s', (overlay, objects) => {
  test('is valid by the schemas of Kubernetes and the Prometheus operator', () => {
    expect(objects.flatMap(schemaFindings)).toEqual([])
  })

  test('has unique names, in one namespace', () => {
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    expect(new Set(names).size).toBe(names.length)
    const [namespace] = objects.filter(({ kind }) => kind === 'Namespace')
    const others = objects.filter(({ kind }) => kind !== 'Namespace')
    const namespaces = others.map(({ metadata }) => metadata.namespace)
    expect(namespaces).toEqual(others.map(() => namespace?.metadata.name))
  })

  test('meets the restricted pod security standard', () => {
    const pod = podOf(objects)
    const namespace = objects.find(({ kind }) => kind === 'Namespace')
    expect(namespace?.metadata.labels).toEqual({ 'pod-security.kubernetes.io/enforce': 'restricted' })
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    })
    expect(pod.hostNetwork ?? pod.hostPID ?? pod.hostIPC).toBeUndefined()
    expect(containerOf(objects).securityContext).toEqual({
      privileged: false,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(Object.keys(containerOf(objects).resources).sort()).toEqual(['limits', 'requests'])
  })

  test('runs as the user of the image, on its port, with read-only mounts', () => {
    const image = parseDockerfile(readText('deploy/docker/Dockerfile'))
    const { runAsUser, runAsGroup, fsGroup } = podOf(objects).securityContext
    const ids = ASSIGNED_IDS.includes(overlay) ? undefined : effective(image, 'USER')?.text
    const areSet = [runAsUser, runAsGroup, fsGroup].map((id) => id !== undefined)
    expect(areSet).toEqual(Array(3).fill(ids !== undefined))
    if (ids !== undefined) expect(`${runAsUser}:${runAsGroup}`).toBe(ids)
    const [port] = containerOf(objects).ports
    expect(String(port.containerPort)).toBe(effective(image, 'EXPOSE')?.text)
    const { volumeMounts = [] } = containerOf(objects)
    expect(volumeMounts.filter(({ readOnly }: Mapping) => readOnly !== true)).toEqual([])
  })

  test('runs this version, with a valid command line', async () => {
    const { version } = JSON.parse(readText('package.json'))
    const { image, args } = containerOf(objects)
    expect(image).toMatch(new RegExp(`/sds-exporter:${version.replaceAll('.', '\\.')}$`))
    const [name, ...flags] = args as string[]
    const { commands } = await createProgram()
    const command = commands.find((one) => one.name() === name)
    expect(command?.parseOptions(flags)).toEqual({ operands: [], unknown: [] })
  })

  test('has a service, probes and a service account that match the pod', () => {
    const { spec } = find(objects, 'Service')
    const { template, selector } = find(objects, 'Deployment').spec
    expect(template.metadata.labels).toMatchObject(spec.selector)
    expect(template.metadata.labels).toMatchObject(selector.matchLabels)
    expect(find(objects, 'NetworkPolicy').spec.podSelector.matchLabels).toEqual(spec.selector)
    const [port] = containerOf(objects).ports
    expect(spec.ports).toMatchObject([{ port: port.containerPort, targetPort: port.name }])
    const { livenessProbe, readinessProbe } = containerOf(objects)
    expect([livenessProbe, readinessProbe].map(({ httpGet }) => httpGet)).toMatchObject([
      { path: '/-/healthy', port: port.name },
      { path: '/-/ready', port: port.name },
    ])
    expect(podOf(objects).serviceAccountName).toBe(find(objects, 'ServiceAccount').metadata.name)
  })

  test('restricts connections to one source and to listed ports', () => {
    const { policyTypes, ingress, egress } = find(objects, 'NetworkPolicy').spec as NetworkPolicySpec
    expect(policyTypes).toEqual(['Ingress', 'Egress'])
    expect(ingress).toHaveLength(1)
    expect(ingress[0]?.from).toHaveLength(1)
    const [{ containerPort }] = containerOf(objects).ports
    expect(ingress[0]?.ports).toEqual([{ protocol: 'TCP', port: containerPort }])
    const unrestricted = egress.filter(({ to = [], ports = [] }) => to.length === 0 || ports.length === 0)
    expect(unrestricted).toEqual([])
  })
})

test('demo has no secret, no file and no network access', () => {
  expect(podOf(demo).volumes).toBeUndefined()
  expect(find(demo, 'NetworkPolicy').spec.egress).toEqual([])
  expect(containerOf(demo).args[0]).toBe('demo')
})

describe('production', () => {
  const volumes = Object.fromEntries(
    podOf(production).volumes.map((volume: Mapping) => [volume['name'], volume]),
  )
  const configMap = find(production, 'ConfigMap', volumes['config'].configMap.name)
  const config = configMap.data['sds-exporter.yml'] as string

  test('mounts every volume, and a ConfigMap whose name has a digest of its content', () => {
    const mounts: { name: string; mountPath: string }[] = containerOf(production).volumeMounts
    expect(mounts.map(({ name }) => name).sort()).toEqual(Object.keys(volumes).sort())
    expect(configMap.metadata.name).toMatch(/^sds-exporter-config-[a-z0-9]{10}$/)
    const configMount = mounts.find(({ name }) => name === 'config')?.mountPath
    expect(containerOf(production).args).toContain(`--config.file=${configMount}/sds-exporter.yml`)
  })

  test('mounts the secret at the path of the configuration, and does not contain it', () => {
    expect(production.filter(({ kind }) => kind === 'Secret')).toEqual([])
    const mount = containerOf(production).volumeMounts.find(({ name }: Mapping) => name === 'credentials')
    using folder = temporaryFolder()
    folder.write('password', 'x\n')
    folder.write('ca.pem', `${rootCertificates[0]}\n`)
    const moved = config.replaceAll(`${mount.mountPath}/`, `${folder.path}/`)
    expect(moved).not.toBe(config)
    expect(parseConfig(moved, { file: 'sds-exporter.yml', environment: {} }).systems).toHaveLength(1)
    const named = readText(`${OVERLAYS}/production/kustomization.yaml`)
    expect(named).toContain(`create secret generic ${volumes['credentials'].secret.secretName} `)
    for (const key of ['password', 'ca.pem']) expect(named).toContain(`--from-file=${key}=`)
  })

  test('may connect to the ports of the systems and to DNS', () => {
    const ports = find(production, 'NetworkPolicy').spec.egress.flatMap(
      (rule: { ports: { port: number }[] }) => rule.ports.map(({ port }) => port),
    )
    const urls = parse(config).systems.flatMap((system: { base_url: string[] }) => system.base_url)
    // 5353 is the port of the DNS pods of OpenShift.
    const ofSystems = urls.map((url: string) => Number(new URL(url).port))
    expect(new Set(ports)).toEqual(new Set([53, 5353, ...ofSystems]))
  })

  test('may ask the DNS of Kubernetes, of OpenShift and the cache of the node', () => {
    const dns = find(production, 'NetworkPolicy').spec.egress.filter(
      ({ ports }: { ports: { port: number }[] }) => ports.every(({ port }) => port !== 4443),
    )
    expect(dns.flatMap(({ to }: { to: unknown[] }) => to)).toEqual([
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } } },
      { ipBlock: { cidr: '169.254.20.10/32' } },
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'openshift-dns' } } },
    ])
    for (const { ports } of dns) {
      expect(ports.map(({ protocol }: { protocol: string }) => protocol)).toEqual(['UDP', 'TCP'])
    }
  })

  test('keeps one exporter running during disruptions', () => {
    const { replicas, template } = find(production, 'Deployment').spec
    const { maxUnavailable, selector } = find(production, 'PodDisruptionBudget').spec
    expect(replicas - maxUnavailable).toBeGreaterThan(0)
    expect(template.metadata.labels).toMatchObject(selector.matchLabels)
  })

  test('is scraped under the job name of the rules', () => {
    const { spec } = find(production, 'ServiceMonitor')
    const service = find(production, 'Service')
    expect(service.metadata.labels).toMatchObject(spec.selector.matchLabels)
    expect(service.metadata.labels[spec.jobLabel]).toBe(PROMETHEUS.job)
    const port = service.spec.ports[0].name
    const interval = `${PROMETHEUS.scrapeIntervalSeconds}s`
    expect(spec.endpoints).toMatchObject([{ port, path: '/metrics', interval }])
  })

  test('has all rules, and promtool accepts them', async () => {
    const rules = production.filter(({ kind }) => kind === 'PrometheusRule')
    const names = rules.map(({ metadata }) => `${metadata.name}.yml`)
    expect(names.sort()).toEqual(readdirSync('deploy/prometheus/rules').sort())
    using folder = temporaryFolder()
    const files = rules.map(({ metadata, spec }) => folder.write(`${metadata.name}.yml`, stringify(spec)))
    expect(await checkRules(...files)).toMatchObject({ code: 0 })
  })

  test('has all dashboards, within the size limit of an annotation', () => {
    const maps = production.filter(({ metadata }) => metadata.labels?.['grafana_dashboard'] === '1')
    const found = maps.flatMap(({ data }) => Object.entries(data as Record<string, string>))
    expect(found.map(([file]) => file).sort()).toEqual(readdirSync('grafana/dashboards').sort())
    for (const [file, text] of found) {
      expect(JSON.parse(text)).toEqual(JSON.parse(readText(`grafana/dashboards/${file}`)))
    }
    expect(maps.filter((map) => Buffer.byteLength(JSON.stringify(map)) > ANNOTATION_LIMIT_BYTES)).toEqual([])
    const annotations = { grafana_folder: GRAFANA.folder.title }
    for (const { metadata } of maps) expect(metadata).toMatchObject({ annotations })
  })
})

test('openshift is production without ids', () => {
  const deployment = structuredClone(find(production, 'Deployment'))
  const { securityContext } = deployment.spec.template.spec
  for (const id of ['runAsUser', 'runAsGroup', 'fsGroup']) delete securityContext[id]
  const others = [openshift, production].map((objects) => objects.filter(({ kind }) => kind !== 'Deployment'))
  expect(others[0]).toEqual(others[1])
  expect(find(openshift, 'Deployment')).toEqual(deployment)
})

describe('secured', () => {
  test('has a web configuration that the exporter accepts, with TLS and a user', async () => {
    const authority = await makeAuthority('test')
    const { cert, key } = await authority.issue('sds-exporter.sds-exporter.svc')
    using folder = temporaryFolder()
    folder.write('tls.crt', cert)
    folder.write('tls.key', key)
    const file = folder.write('web-config.yml', readText(`${OVERLAYS}/secured/web-config.yml`))
    const { tls, users } = loadWebFile(file)
    expect(tls?.cert).toBe(cert)
    expect([...users.keys()]).toEqual(['prometheus'])
  })

  test('mounts it, beside the volumes of production, and probes over TLS', () => {
    const container = containerOf(secured)
    const mount = container.volumeMounts.find(({ name }: Mapping) => name === 'web')
    const flag = `--web.config.file=${mount.mountPath}/web-config.yml`
    expect(container.args).toEqual([...containerOf(production).args, flag])
    expect(podOf(secured).volumes).toHaveLength(podOf(production).volumes.length + 1)
    const { livenessProbe, readinessProbe } = container
    for (const { httpGet } of [livenessProbe, readinessProbe]) expect(httpGet.scheme).toBe('HTTPS')
  })

  test('is scraped with TLS and the user, and names every Secret in its instructions', () => {
    const [endpoint] = find(secured, 'ServiceMonitor').spec.endpoints
    expect(endpoint).toMatchObject({
      ...find(production, 'ServiceMonitor').spec.endpoints[0],
      scheme: 'https',
      tlsConfig: { serverName: 'sds-exporter.sds-exporter.svc' },
    })
    const [web] = podOf(secured).volumes.filter(({ name }: Mapping) => name === 'web')
    const [registry] = podOf(secured).imagePullSecrets
    const instructions = readText(`${OVERLAYS}/secured/kustomization.yaml`)
    for (const name of [web.secret.secretName, registry.name, endpoint.tlsConfig.ca.secret.name]) {
      expect(instructions).toContain(` ${name} `)
    }
  })
})
