import type { ServerOptions } from 'node:https'
import { SESSION_LIMITS, type SessionLimits } from './http/sessions.ts'
import type { Scenario } from './model/scenarios.ts'
import type { ExpiredToken, Profile } from './protocol/profiles.ts'

/** Certificate and private key of the listener in PEM, and other settings of Node.js. */
export type TlsOptions = Pick<ServerOptions, 'key' | 'cert' | 'ca' | 'requestCert' | 'maxVersion'>

export interface EmulatorOptions {
  /** Any text; the same text gives the same pools, nodes and history. */
  readonly seed?: string
  readonly pools?: number
  /** Per pool. */
  readonly nodes?: number
  /** The last so many nodes of each pool of three or more joined, empty, `newNodeHours` before the start. Never the first one. */
  readonly newNodes?: number
  readonly newNodeHours?: number
  /** Sites (VDCs) that replicate with each other, this one included. */
  readonly sites?: number
  readonly namespaces?: number
  /** Mean number in each namespace. */
  readonly buckets?: number
  /** `host:port`; port 0 selects a free port. */
  readonly listenAddress?: string
  /** `true` creates a self-signed certificate on start. */
  readonly tls?: boolean | TlsOptions
  readonly profile?: Profile
  readonly scenario?: Scenario
  /** In the format of the command line: `NAME[:ARG][@TARGET]`. */
  readonly faults?: readonly string[]
  /** Response to an unknown or expired token; default: that of the profile. */
  readonly expiredToken?: ExpiredToken
  readonly sessions?: Partial<SessionLimits>
  /** Maximum number of points of one series in one request. */
  readonly maxPoints?: number
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
}

export const EMULATOR_DEFAULTS = {
  seed: 'emulator',
  pools: 2,
  nodes: 5,
  newNodes: 0,
  newNodeHours: 480,
  sites: 1,
  namespaces: 12,
  buckets: 20,
  listenAddress: '127.0.0.1:4443',
  tls: false,
  profile: 'documented',
  scenario: 'healthy',
  faults: [],
  sessions: SESSION_LIMITS,
  maxPoints: 100_000,
  clock: Date.now,
} as const satisfies EmulatorOptions

/** Help of the command-line flags, one sentence each. The tables of profiles, scenarios and faults have their own help. */
export const OPTION_HELP = {
  seed: 'any text; the same text gives the same pools, nodes and history',
  pools: 'number of storage pools',
  nodes: 'number of nodes of each pool',
  newNodes: 'number of nodes of each pool of three or more that joined it before the start, empty',
  newNodeHours: 'hours since they joined; with less than two points in its history a node has no forecast',
  sites: 'number of sites (VDCs) that replicate with each other, from 1 to 3',
  namespaces: 'number of namespaces',
  buckets: 'mean number of buckets of a namespace; the first one has five times as many',
  listenAddress: 'HOST:PORT to listen on; port 0 selects a free port',
  tls: 'listen with TLS, with a self-signed certificate created on start (clients need insecure_skip_verify)',
  profile: 'variant of the storage system',
  scenario: 'state of the storage system',
  faults: 'fault to inject, as NAME[:ARG][@TARGET]; may be repeated',
  expiredToken: 'response to an unknown or expired token (default: that of the profile)',
} as const satisfies Partial<Record<keyof EmulatorOptions, string>>

const MAX_POOLS = 200
const MAX_NODES = 10_000
const MAX_NEW_NODE_HOURS = 1_000_000
const MAX_SITES = 3
const MAX_NAMESPACES = 10_000
const MAX_BUCKETS = 10_000

/** The options with their defaults. @throws RangeError for an invalid number */
export function resolveOptions(options: EmulatorOptions) {
  const resolved = { ...EMULATOR_DEFAULTS, ...options }
  checkCount('pools', resolved.pools, MAX_POOLS)
  checkCount('nodes', resolved.nodes, MAX_NODES)
  checkCount('new nodes', resolved.newNodes, MAX_NODES, 0)
  checkCount('hours since they joined', resolved.newNodeHours, MAX_NEW_NODE_HOURS)
  checkCount('sites', resolved.sites, MAX_SITES)
  checkCount('namespaces', resolved.namespaces, MAX_NAMESPACES)
  checkCount('buckets', resolved.buckets, MAX_BUCKETS)
  return { ...resolved, sessions: { ...SESSION_LIMITS, ...options.sessions } }
}

function checkCount(name: string, count: number, max: number, min = 1): void {
  if (Number.isInteger(count) && count >= min && count <= max) return
  throw new RangeError(`The number of ${name} must be a whole number from ${min} to ${max}, not ${count}`)
}

/** Splits `127.0.0.1:4443`, `:4443` or `[::1]:4443`. @throws RangeError without a valid port */
export function parseListenAddress(text: string): { host: string; port: number } {
  const [, bracketed, plain, port] = /^(?:\[(.+)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? []
  if (port === undefined || Number(port) > 65_535) {
    throw new RangeError(`The listen address must be HOST:PORT, such as 127.0.0.1:4443, not "${text}"`)
  }
  return { host: bracketed || plain || '0.0.0.0', port: Number(port) }
}
