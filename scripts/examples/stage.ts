import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { selfSigned } from '../../src/emulator/certificates.ts'
import { createEmulator } from '../../src/emulator/emulator.ts'
import type { EmulatorOptions } from '../../src/emulator/options.ts'
import type { Status } from '../../src/status/model.ts'
import { temporaryFolder } from '../../test/support/folders.ts'
import { startProcess } from '../../test/support/processes.ts'
import { TOOLS_FOLDER } from '../tools/table.ts'
import { MOMENT_MS } from './fixed_clock.ts'
import { freePorts, type Ports, withRealPorts } from './ports.ts'
import { CONFIG, FRANKFURT_PORT, PARIS_PORT } from './table/config.ts'

/** What all examples share: emulated systems, an exporter, files and the command `sds-exporter`. */
export interface Stage extends AsyncDisposable {
  readonly ports: Ports
  /** A new folder with the files of all examples and these. Texts have the ports of the documentation. */
  folder(name: string, files: Readonly<Record<string, string>>, ports: Ports): string
  /** The environment of commands. */
  readonly environment: Readonly<Record<string, string>>
}

const root = fileURLToPath(new URL('../..', import.meta.url))

const TLS_PORT = 4445
/** The port of the exporter in the documentation. */
export const EXPORTER_PORT = 9438
const ADMIN_PORT = 9439

const SYSTEMS: Readonly<Record<number, EmulatorOptions>> = {
  [FRANKFURT_PORT]: {
    profile: 'modern',
    scenario: 'disk-failures',
    pools: 2,
    nodes: 3,
    newNodes: 0,
    seed: 'frankfurt',
  },
  [PARIS_PORT]: { profile: 'classic', pools: 1, nodes: 2, seed: 'paris' },
  [TLS_PORT]: { profile: 'classic', pools: 1, nodes: 2, seed: 'vienna' },
}

/** Validity of certificates: their dates are checked with the real clock. */
const VALIDITY = { notBefore: new Date('2000-01-01'), notAfter: new Date('2049-01-01') }

export async function createStage(): Promise<Stage> {
  const folder = temporaryFolder()
  const ports = await freePorts([FRANKFURT_PORT, PARIS_PORT, TLS_PORT, EXPORTER_PORT, ADMIN_PORT])
  await using cleanup = new AsyncDisposableStack()
  cleanup.use(folder)
  const certificate = await selfSigned({ names: ['127.0.0.1'], ...VALIDITY })
  const other = await selfSigned({ names: ['127.0.0.1'], ...VALIDITY })
  const base = { 'sds-exporter.yml': CONFIG, password: 'emulator\n', 'other-ca.pem': other.cert }
  const environment = commandEnvironment(folder.path)
  const filesIn: Stage['folder'] = (name, files, ports) => {
    const path = join(folder.path, name)
    for (const [file, text] of Object.entries({ ...base, ...files })) {
      const target = join(path, file)
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, withRealPorts(text, ports), { mode: 0o600 })
    }
    return path
  }
  for (const [port, options] of Object.entries(SYSTEMS)) {
    const listenAddress = `127.0.0.1:${ports.get(Number(port))}`
    const tls = Number(port) === TLS_PORT && certificate
    const emulator = createEmulator({ ...options, listenAddress, tls, clock: () => MOMENT_MS })
    await emulator.start()
    cleanup.defer(emulator.stop)
  }
  const flags = [
    '--config.file=sds-exporter.yml',
    `--web.listen-address=127.0.0.1:${ports.get(EXPORTER_PORT)}`,
    `--admin.listen-address=127.0.0.1:${ports.get(ADMIN_PORT)}`,
  ]
  const exporter = await startProcess('sds-exporter', ['serve', ...flags], {
    cwd: filesIn('exporter', {}, ports),
    env: environment,
  })
  cleanup.use(exporter)
  await hasPolled(`http://127.0.0.1:${ports.get(EXPORTER_PORT)}`)
  const all = cleanup.move()
  return { ports, folder: filesIn, environment, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

/** A command `sds-exporter` of this clone, whose clock stands still. */
function commandEnvironment(folder: string): Readonly<Record<string, string>> {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const clock = join(root, 'scripts/examples/fixed_clock.ts')
  const command = `exec '${process.execPath}' --import '${clock}' '${join(root, 'src/main.ts')}' "$@"`
  writeFileSync(join(bin, 'sds-exporter'), `#!/bin/sh\n${command}\n`, { mode: 0o755 })
  return {
    PATH: `${bin}:${join(TOOLS_FOLDER, 'bin')}:${process.env['PATH']}`,
    NODE_COMPILE_CACHE: join(folder, 'cache'),
    TZ: 'UTC',
    LC_ALL: 'C.UTF-8',
  }
}

/** Waits until the exporter has read everything that it reads at its start. */
async function hasPolled(url: string): Promise<void> {
  const isRead = ({
    authentication_providers: providers,
    query_interface: query,
    resources,
    requests,
  }: Status['systems'][number]) =>
    providers !== null &&
    query.state !== 'pending' &&
    // Those of the query interface stay pending on a system whose feed has all figures.
    resources.every(({ name, state }) => name === 'system_queries' || state !== 'pending') &&
    requests.running === 0
  for (;;) {
    const status = await fetch(`${url}/api/v1/status`).then(
      async (response) => (await response.json()) as Status,
      () => undefined,
    )
    if (status?.ready === true && status.systems.every(isRead)) return
    await sleep(50)
  }
}
