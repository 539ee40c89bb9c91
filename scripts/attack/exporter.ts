import { readFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { selfSigned } from '../../src/emulator/certificates.ts'
import { PASSWORD } from '../../src/emulator/http/sessions.ts'
import { temporaryFolder } from '../../test/support/folders.ts'
import { type Child, startProcess } from '../../test/support/processes.ts'
import { request } from './clients.ts'
import { type HostileSystem, startHostileSystem } from './hostile_system.ts'
import { createMemoryGroup, type MemoryGroup } from './memory_group.ts'
import { OTHER, type Setup, type STEADY, type Target } from './row.ts'

const UNIT = 'deploy/systemd/sds-exporter.service'
const USER = { name: 'prometheus', password: 'correct' }
/** bcrypt of the password with cost 13: one comparison takes half a second or more. */
const HASH = '$2b$13$LlyAJsmdPBLx1GIsd4Upqe68xLxC8qbq5pkAEoXzKtJZgF7/cVT/O'
const READY_MS = 60_000

/**
 * Starts an emulated system with half of the 640 nodes of the largest size that the deployment files are for, with a low
 * priority: storage systems run on other machines.
 */
export async function startSystem(seed: string): Promise<{ readonly child: Child; readonly url: string }> {
  const flags = ['--listen-address=127.0.0.1:0', `--seed=${seed}`, '--pools=4', '--nodes=80']
  const child = await startProcess(process.execPath, ['src/main.ts', 'emulate', ...flags])
  setPriority(child.pid, constants.priority.PRIORITY_LOW)
  const [, url = ''] = await child.waitForOutput(/^Emulated storage system: (\S+)$/m)
  return { child, url }
}

/** An exporter as the systemd unit runs it, of which every pool was polled. Disposal ends what is left of it. */
export interface StartedTarget extends Target, AsyncDisposable {
  readonly child: Child
}

export async function startTarget(
  setup: Setup,
  systemUrls: Readonly<Record<typeof STEADY | typeof OTHER, string>>,
): Promise<StartedTarget> {
  await using cleanup = new AsyncDisposableStack()
  const folder = cleanup.use(temporaryFolder())
  const hostile = setup.hostile ? await startHostileSystem() : undefined
  if (hostile !== undefined) cleanup.defer(hostile.stop)
  const config = configOf({ ...systemUrls, ...(hostile !== undefined && { [OTHER]: hostile.url }) })
  const web = await webConfig(setup)
  for (const [name, text] of Object.entries(web)) folder.write(name, text)
  const group = createMemoryGroup(memoryLimitMib())
  cleanup.defer(group.remove)
  const child = cleanup.use(
    await startDeployed(group, [
      `--config.file=${folder.write('sds-exporter.yml', config)}`,
      '--web.listen-address=127.0.0.1:0',
      '--admin.listen-address=127.0.0.1:0',
      '--web.enable-lifecycle',
      ...('web.yml' in web ? [`--web.config.file=${folder.path}/web.yml`] : []),
    ]),
  )
  const [, url = ''] = await child.waitForOutput(/msg=listening url=(\S+)/)
  const [, adminUrl = ''] = await child.waitForOutput(/provider administration" url=(\S+)/)
  await waitUntilReady(url)
  const owned = cleanup.move()
  return {
    ...targetOf(child, setup, hostile),
    child,
    url,
    adminUrl,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function targetOf(
  child: Child,
  { web }: Setup,
  hostile: HostileSystem | undefined,
): Pick<Target, 'pid' | 'headers' | 'hostile' | 'logBytes'> {
  const credentials = Buffer.from(`${USER.name}:${USER.password}`).toString('base64')
  return {
    pid: child.pid,
    headers: {
      'Accept-Encoding': 'gzip',
      ...(web === 'users' && { Authorization: `Basic ${credentials}` }),
    },
    hostile() {
      if (hostile === undefined) throw new Error('the row has no hostile system')
      return hostile
    },
    logBytes: () => child.stderr().length,
  }
}

/** Starts `serve` with the environment and the limits of the unit. */
function startDeployed(group: MemoryGroup, flags: readonly string[]): Promise<Child> {
  const settings = readFileSync(UNIT, 'utf8').matchAll(/^Environment=(\w+)=(.*)$/gm)
  const env = Object.fromEntries([...settings].map(([, name = '', value = '']) => [name, value]))
  const options = { env, maxOpenFiles: limitOfUnit('LimitNOFILE') }
  return group.start(process.execPath, ['src/main.ts', 'serve', ...flags], options)
}

/** The limit of memory of the unit, above which the system ends the process. */
export const memoryLimitMib = (): number => limitOfUnit('MemoryMax')

function limitOfUnit(name: string): number {
  const limit = new RegExp(`^${name}=(\\d+)M?$`, 'm').exec(readFileSync(UNIT, 'utf8'))?.[1]
  if (limit === undefined) throw new Error(`${UNIT} has no ${name}`)
  return Number(limit)
}

async function waitUntilReady(url: string): Promise<void> {
  const deadline = performance.now() + READY_MS
  while (performance.now() < deadline) {
    if ((await request(`${url}/-/ready`, { timeoutMs: READY_MS })) === 200) return
    await sleep(100)
  }
  throw new Error('the exporter was not ready in time')
}

function configOf(urls: Readonly<Record<string, string>>): string {
  const systems = Object.entries(urls).map(
    ([name, url]) =>
      `  - {name: ${name}, base_url: "${url}", auth: {username: monitor, password: ${PASSWORD}}}\n`,
  )
  return `systems:
${systems.join('')}poll: {schedule: "* * * * * *", max_random_delay: 0s, timeout: 10s}
discovery: {schedule: "*/2 * * * * *"}
providers: {schedule: "*/2 * * * * *"}
performance: {schedule: "*/5 * * * * *"}
`
}

async function webConfig({ web }: Setup): Promise<Readonly<Record<string, string>>> {
  if (web === 'users') return { 'web.yml': `basic_auth_users: {${USER.name}: "${HASH}"}\n` }
  if (web === undefined) return {}
  const { cert, key } = await selfSigned({ names: ['127.0.0.1'] })
  const config = 'tls_server_config: {cert_file: cert.pem, key_file: key.pem}\n'
  return { 'web.yml': config, 'cert.pem': cert, 'key.pem': key }
}
