import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { constants, getPriority, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../../src/config/load.ts'
import { selfSigned } from '../../src/emulator/certificates.ts'
import { PASSWORD } from '../../src/emulator/http/sessions.ts'
import { readDeployment } from './deployment.ts'
import { type HostileSystem, SECRETS, startHostileSystem } from './hostile_system.ts'
import { startNameServer } from './name_server.ts'
import { type Program, startProgram } from './processes.ts'
import { request } from './requests.ts'
import { OTHER, type Setup, STEADY, type Target } from './row.ts'

/** Two emulated storage systems, each in a process of its own; together 640 nodes, the largest size in the documentation. */
export interface Systems {
  readonly steadyUrl: string
  readonly otherUrl: string
  stop(): Promise<void>
}

const POOLS = 4
const NODES_PER_POOL = 80
/** Added to the niceness. */
const LOWER_PRIORITY = 10

/** Starts the systems with a low priority: their CPU time belongs to no attack. */
export async function startSystems(): Promise<Systems> {
  const folder = mkdtempSync(join(tmpdir(), 'sds-attack-'))
  const start = (name: string) =>
    startProgram(
      [
        'src/main.ts',
        'emulate',
        `--seed=${name}`,
        '--listen-address=127.0.0.1:0',
        `--pools=${POOLS}`,
        `--nodes=${NODES_PER_POOL}`,
      ],
      { outputFile: join(folder, `${name}.log`) },
    )
  const programs = [start(STEADY), start(OTHER)]
  const priority = Math.min(getPriority() + LOWER_PRIORITY, constants.priority.PRIORITY_LOW)
  for (const { pid } of programs) setPriority(pid, priority)
  const [steadyUrl = '', otherUrl = ''] = await Promise.all(
    programs.map((program) => program.find(/^Emulated storage system: (\S+)$/m)),
  )
  return {
    steadyUrl,
    otherUrl,
    async stop() {
      await Promise.all(programs.map((program) => program.stop()))
      rmSync(folder, { recursive: true })
    },
  }
}

const USER = { name: 'prometheus', password: 'correct' }
/** bcrypt of the password with cost 13: one comparison takes half a second or more. */
const HASH = '$2b$13$LlyAJsmdPBLx1GIsd4Upqe68xLxC8qbq5pkAEoXzKtJZgF7/cVT/O'
/** Bodies of the hostile system use this share of the longest one that is read. */
const BODY_SHARE = 0.95

/** Starts the exporter as it is deployed, and waits until both systems were polled. */
export async function startTarget(setup: Setup, systems: Systems): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), 'sds-attack-'))
  const write = (name: string, text: string) => {
    const file = join(folder, name)
    writeFileSync(file, text, { mode: 0o600 })
    return file
  }
  const names = setup.hangingNames === undefined ? undefined : await startNameServer(STEADY_HOST)
  const steadyUrl = names === undefined ? systems.steadyUrl : withHost(systems.steadyUrl, STEADY_HOST)
  const configFile = write('sds-exporter.yml', configOf(setup, steadyUrl, systems.otherUrl))
  // The hostile system needs the limit of this configuration, which then gets the address of the system.
  const bodyBytes = (loadConfig(configFile, {}).systems[0]?.limits.maxResponseBytes ?? 0) * BODY_SHARE
  const hostile = setup.hostile ? await startHostileSystem(Math.floor(bodyBytes)) : undefined
  if (hostile !== undefined) write('sds-exporter.yml', configOf(setup, steadyUrl, hostile.url))
  const auditFile = join(folder, 'audit.jsonl')
  const web = await writeWebConfig(setup, write)
  const { env, descriptors } = readDeployment()
  const program = startProgram(
    [
      'src/main.ts',
      'serve',
      `--config.file=${configFile}`,
      '--web.listen-address=127.0.0.1:0',
      '--admin.listen-address=127.0.0.1:0',
      `--admin.audit-file=${auditFile}`,
      ...(web === undefined ? [] : [`--web.config.file=${web}`]),
      ...(setup.lifecycle ? ['--web.enable-lifecycle'] : []),
    ],
    {
      outputFile: join(folder, 'exporter.log'),
      env,
      descriptors,
      ...(names !== undefined && { resolvConf: write('resolv.conf', names.resolvConf) }),
    },
  )
  const stop = async () => {
    const stopped = await program.stop()
    await hostile?.stop()
    await names?.stop()
    rmSync(folder, { recursive: true })
    return stopped
  }
  try {
    return { ...(await control(program, setup, hostile)), configFile, auditFile, stop }
  } catch (failure) {
    await stop()
    throw failure
  }
}

async function control(
  program: Program,
  setup: Setup,
  hostile: HostileSystem | undefined,
): Promise<Omit<Target, 'stop' | 'configFile' | 'auditFile'>> {
  const url = await program.find(/msg=listening url=(\S+)/)
  const adminUrl = await program.find(/msg="listening for provider administration" url=(\S+)/)
  await waitUntilReady(url)
  const credentials = Buffer.from(`${USER.name}:${USER.password}`).toString('base64')
  return {
    pid: program.pid,
    url,
    adminUrl,
    headers: {
      'Accept-Encoding': 'gzip',
      ...(setup.web === 'users' && { Authorization: `Basic ${credentials}` }),
    },
    hostile() {
      if (hostile === undefined) throw new Error('the row has no hostile system')
      return hostile
    },
    log: program.output,
    logBytes: program.outputBytes,
    end: program.end,
  }
}

const READY_MS = 60_000

async function waitUntilReady(url: string): Promise<void> {
  const deadline = performance.now() + READY_MS
  while (performance.now() < deadline) {
    const { status } = await request(`${url}/-/ready`, { timeoutMs: READY_MS })
    if (status === 200) return
    await sleep(100)
  }
  throw new Error('the exporter was not ready in time')
}

const STEADY_HOST = 'steady.attack.test'

function withHost(url: string, host: string): string {
  return Object.assign(new URL(url), { hostname: host }).origin
}

function configOf(
  { pollSeconds = 2, hangingNames = 0, hostile }: Setup,
  steadyUrl: string,
  otherUrl: string,
): string {
  const entry = (name: string, url: string, password = PASSWORD) =>
    `  - {name: ${name}, base_url: "${url}", auth: {username: monitor, password: ${JSON.stringify(password)}}}\n`
  const hanging = Array.from({ length: hangingNames }, (_, index) =>
    entry(`hanging-${index}`, `http://hanging-${index}.attack.test:4443`),
  )
  // The steady system is the last one, whose name waits for those of the others.
  return `systems:
${hanging.join('')}${entry(OTHER, otherUrl, hostile ? SECRETS.password : PASSWORD)}${entry(STEADY, steadyUrl)}
poll: {schedule: "*/${pollSeconds} * * * * *", max_random_delay: 0s, timeout: 10s}
discovery: {schedule: "*/2 * * * * *"}
providers: {schedule: "*/2 * * * * *"}
performance: {schedule: "*/2 * * * * *"}
`
}

type Write = (name: string, text: string) => string

async function writeWebConfig({ web }: Setup, write: Write): Promise<string | undefined> {
  if (web === 'users') return write('web.yml', `basic_auth_users: {${USER.name}: "${HASH}"}\n`)
  if (web === undefined) return undefined
  const { cert, key } = await selfSigned({ names: ['127.0.0.1'] })
  write('cert.pem', cert)
  write('key.pem', key)
  return write('web.yml', 'tls_server_config: {cert_file: cert.pem, key_file: key.pem}\n')
}
