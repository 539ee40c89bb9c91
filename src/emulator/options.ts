import { SESSION_LIMITS, type SessionLimits } from './http/sessions.ts'
import type { ExpiredToken, Profile } from './protocol/profiles.ts'
import type { Scenario } from './world/scenarios.ts'

/** A certificate of one's own, in PEM. */
export interface TlsOptions {
  readonly key: string
  readonly cert: string
  /** Of those who may call, for {@link requireClientCertificate}. */
  readonly ca?: string
  readonly requireClientCertificate?: boolean
  /** The newest version spoken; Node.js' own default unless told. */
  readonly maxVersion?: 'TLSv1.2' | 'TLSv1.3'
}

export interface EmulatorOptions {
  /** Any text; the same text makes the same pools, nodes and past. */
  readonly seed?: string
  readonly pools?: number
  /** Per pool. */
  readonly nodes?: number
  /** `host:port`; port 0 takes a free one. */
  readonly listenAddress?: string
  /** `true` makes a self-signed certificate at the start. */
  readonly tls?: boolean | TlsOptions
  readonly profile?: Profile
  readonly scenario?: Scenario
  /** As on the command line: `NAME[:ARG][@TARGET]`. */
  readonly faults?: readonly string[]
  /** How an unknown or expired token is answered; the profile decides unless told. */
  readonly expiredToken?: ExpiredToken
  readonly sessions?: Partial<SessionLimits>
  /** Points of one series that one request may ask for. */
  readonly maxPoints?: number
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
}

/** Defaults; every command line option of the emulator is one of these. */
export const EMULATOR_DEFAULTS = {
  seed: 'emulator',
  pools: 2,
  nodes: 5,
  listenAddress: '127.0.0.1:4443',
  tls: false,
  profile: 'documented',
  scenario: 'healthy',
  faults: [],
  sessions: SESSION_LIMITS,
  maxPoints: 100_000,
  clock: Date.now,
} as const satisfies EmulatorOptions

/** One sentence for each option that the command line has; the lists of names carry their own help. */
export const OPTION_HELP = {
  seed: 'any text; the same text makes the same pools, nodes and past',
  pools: 'number of storage pools',
  nodes: 'number of nodes of each pool',
  listenAddress: 'HOST:PORT to listen on; port 0 takes a free one',
  tls: 'listen with TLS, with a self-signed certificate made at the start (clients need insecure_skip_verify)',
  profile: 'dialect of the nodes feed',
  scenario: 'what is going on in the storage system',
  faults: 'what goes wrong, as NAME[:ARG][@TARGET]; may be given several times',
  expiredToken: 'how an unknown or expired token is answered; the profile decides unless told',
} as const satisfies Partial<Record<keyof EmulatorOptions, string>>

const MOST_POOLS = 200
const MOST_NODES = 10_000

/** The options with their defaults. @throws RangeError for a number of pools or nodes that makes no system */
export function resolveOptions(options: EmulatorOptions) {
  const resolved = { ...EMULATOR_DEFAULTS, ...options }
  checkCount('pools', resolved.pools, MOST_POOLS)
  checkCount('nodes', resolved.nodes, MOST_NODES)
  return { ...resolved, sessions: { ...SESSION_LIMITS, ...options.sessions } }
}

function checkCount(name: string, count: number, most: number): void {
  if (Number.isInteger(count) && count >= 1 && count <= most) return
  throw new RangeError(`The number of ${name} must be a whole number from 1 to ${most}, not ${count}`)
}

/** Splits `127.0.0.1:4443`, `:4443` or `[::1]:4443`. @throws RangeError where there is no port */
export function parseListenAddress(text: string): { host: string; port: number } {
  const [, bracketed, plain, port] = /^(?:\[(.+)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? []
  if (port === undefined || Number(port) > 65_535) {
    throw new RangeError(`The listen address must be HOST:PORT, such as 127.0.0.1:4443, not "${text}"`)
  }
  return { host: bracketed || plain || '0.0.0.0', port: Number(port) }
}
