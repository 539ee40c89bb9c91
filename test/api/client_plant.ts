import { type ClientObserver, createClient, type SystemClient } from '../../src/api/client.ts'
import { parseConfig } from '../../src/config/load.ts'
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts'
import { silentLog } from '../../src/log.ts'

type EmulatorOptions = Parameters<typeof createEmulator>[0]

/** An emulator on a free port that stops with its `await using` block. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator & AsyncDisposable> {
  const emulator = createEmulator({ listenAddress: '127.0.0.1:0', profile: 'classic', ...options })
  await emulator.start()
  return Object.defineProperties({} as Emulator & AsyncDisposable, {
    ...Object.getOwnPropertyDescriptors(emulator),
    [Symbol.asyncDispose]: { value: emulator.stop },
  })
}

export interface ClientPlant extends AsyncDisposable {
  readonly client: SystemClient
  /** What the client told, as `nodes 200`. */
  readonly told: string[]
  readonly logins: string[]
  /** After each operation: whether there was an answer. */
  readonly answers: boolean[]
  readonly skews: number[]
  readonly certificates: number[]
}

/** A client with the exporter's own configuration, made from the YAML of one system. */
export function startClient(
  system: string,
  rest = 'limits: {requests_per_second: 1000}\npoll: {timeout: 30s}',
): ClientPlant {
  const config = parseConfig(`systems:\n  - ${system}\n${rest}\n`, { file: 'test.yml', environment: {} })
  const [only] = config.systems
  if (only === undefined) throw new Error('a system is wanted')
  const told: string[] = []
  const logins: string[] = []
  const answers: boolean[] = []
  const skews: number[] = []
  const certificates: number[] = []
  const observer: ClientObserver = {
    exchanged: ({ operation, code }) => told.push(`${operation} ${code}`),
    answered: (answered) => answers.push(answered),
    loggedIn: (result) => logins.push(result),
    clockSkew: (seconds) => skews.push(seconds),
    certificate: (seconds) => certificates.push(seconds),
  }
  const client = createClient({
    system: only,
    limits: config.limits,
    timeoutMs: config.poll.timeoutMs,
    observer,
    log: silentLog,
  })
  return { client, told, logins, answers, skews, certificates, [Symbol.asyncDispose]: () => client.close() }
}

/** The YAML of a system that is asked as the monitoring user. */
export function monitored(...urls: string[]): string {
  return `{name: a, base_url: [${urls.map((url) => `"${url}"`).join(', ')}], auth: {username: monitor, password: emulator}}`
}
