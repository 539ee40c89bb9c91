import { type ClientObserver, createClient, type SystemClient } from '../../src/api/client.ts'
import { parseConfig } from '../../src/config/load.ts'
import { silentLog } from '../../src/log.ts'
import { createEmulator, type Emulator } from '../support/programs/emulator.ts'

type EmulatorOptions = Parameters<typeof createEmulator>[0]

/** An emulator on a free port; `await using` stops it at the end of the block. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator & AsyncDisposable> {
  const emulator = createEmulator({ listenAddress: '127.0.0.1:0', profile: 'classic', ...options })
  await emulator.start()
  return Object.defineProperties({} as Emulator & AsyncDisposable, {
    ...Object.getOwnPropertyDescriptors(emulator),
    [Symbol.asyncDispose]: { value: emulator.stop },
  })
}

export interface ClientSetup extends AsyncDisposable {
  readonly client: SystemClient
  /** Operation and code of each exchange, as `nodes 200`. */
  readonly exchanges: string[]
  /** Duration of each exchange. */
  readonly durationsSeconds: number[]
  /** The result of each login: `ok` or a reason. */
  readonly loginResults: string[]
  /** For each operation: whether the system responded. */
  readonly responded: boolean[]
  readonly clockSkewsSeconds: number[]
}

/** A client for one system, configured with YAML as in the configuration file. */
export function startClient(
  system: string,
  rest = 'limits: {requests_per_second: 1000}\npoll: {timeout: 30s}',
): ClientSetup {
  const config = parseConfig(`systems:\n  - ${system}\n${rest}\n`, { file: 'test.yml', environment: {} })
  const [only] = config.systems
  if (only === undefined) throw new Error('a system is required')
  const exchanges: string[] = []
  const durationsSeconds: number[] = []
  const loginResults: string[] = []
  const responded: boolean[] = []
  const clockSkewsSeconds: number[] = []
  const observer: ClientObserver = {
    exchanged({ operation, code, seconds }) {
      exchanges.push(`${operation} ${code}`)
      durationsSeconds.push(seconds)
    },
    responded: (value) => responded.push(value),
    loggedIn: (result) => loginResults.push(result),
    clockSkew: (seconds) => clockSkewsSeconds.push(seconds),
    certificate: () => undefined,
  }
  const client = createClient({ system: only, observer, log: silentLog })
  return {
    client,
    exchanges,
    durationsSeconds,
    loginResults,
    responded,
    clockSkewsSeconds,
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** The YAML of a system with these base URLs and the login of the monitoring user. */
export function monitored(...urls: string[]): string {
  return `{name: a, base_url: [${urls.map((url) => `"${url}"`).join(', ')}], auth: {username: monitor, password: emulator}}`
}
