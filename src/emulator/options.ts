import type { ServerOptions } from 'node:https'
import type { Middleware } from 'koa'
import type { Scenario } from './model/scenarios.ts'
import type { Profile } from './protocol/profiles.ts'

/** Certificate and private key of the listener in PEM, and other settings of Node.js. */
export type TlsOptions = Pick<
  ServerOptions,
  'key' | 'cert' | 'ca' | 'requestCert' | 'minVersion' | 'maxVersion' | 'ciphers'
>

/** Options that are numbers: the default, the least and the most. */
const COUNTS = {
  pools: [2, 1, 200],
  nodes: [5, 1, 10_000],
  newNodes: [1, 0, 10_000],
  newNodeHours: [480, 1, 1_000_000],
  sites: [1, 1, 3],
  namespaces: [12, 1, 10_000],
  buckets: [20, 1, 10_000],
} as const
export type CountOption = keyof typeof COUNTS

/** The flags of `emulate` explain those that are flags. Of each pool of three or more nodes, the last ones are new. */
export interface EmulatorOptions extends Partial<Readonly<Record<CountOption, number>>> {
  readonly seed?: string
  /** Name of the site (VDC); default: `vdc-` and the seed. */
  readonly vdcName?: string
  readonly listenAddress?: string
  /** `true` creates a self-signed certificate on start. */
  readonly tls?: boolean | TlsOptions
  readonly profile?: Profile
  readonly scenario?: Scenario
  readonly faults?: readonly string[]
  /** Whether the emulator listens at the data address of each node, too. */
  readonly dataPorts?: boolean
  /** Maximum number of points of one series in one request. */
  readonly maxPoints?: number
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
  /** Runs first for every request. */
  readonly middleware?: Middleware
}

export const EMULATOR_DEFAULTS = {
  seed: 'emulator',
  ...(Object.fromEntries(Object.entries(COUNTS).map(([name, [count]]) => [name, count])) as Record<
    CountOption,
    number
  >),
  listenAddress: '127.0.0.1:4443',
  tls: false,
  dataPorts: false,
  profile: 'documented',
  scenario: 'healthy',
  faults: [],
  maxPoints: 100_000,
  clock: Date.now,
} as const satisfies EmulatorOptions

const MAX_NAME_CHARACTERS = 60

/** The options with their defaults. @throws RangeError for an invalid number */
export function resolveOptions(options: EmulatorOptions) {
  const resolved = { ...EMULATOR_DEFAULTS, ...options }
  for (const [name, [, min, max]] of Object.entries(COUNTS)) {
    const count = resolved[name as CountOption]
    if (!Number.isInteger(count) || count < min || count > max)
      throw new RangeError(`The option ${name} must be a whole number from ${min} to ${max}, not ${count}`)
  }
  const seedName = resolved.seed.toLowerCase().replaceAll(/[^a-z\d]+/g, '-')
  const { vdcName = `vdc-${seedName.slice(0, MAX_NAME_CHARACTERS)}` } = options
  return { ...resolved, vdcName }
}
