import { PASSWORD } from '../../src/emulator/http/sessions.ts'
import { createEmulator, type Emulator } from '../../test/support/programs/emulator.ts'

/** The emulated storage systems of a soak run. */
export interface SoakSystems {
  /** A valid configuration of the exporter. Each variant differs from the one before. */
  config(variant: number): string
  /** Sets the next fault of every system, or no fault. */
  nextFaults(): void
  clearFaults(): void
  /** Number of valid tokens of all systems. */
  liveSessions(): number
  requests(): number
  stop(): Promise<void>
}

/** Each system gets one after the other, with a period without faults in between. */
const FAULTS = [
  'reset',
  'half-open',
  'slow-headers:1',
  'slow-body:0.2',
  'stall',
  'truncate:length',
  'truncate:chunked',
  'truncate:close',
  'too-large:20',
  'endless',
  'garbage',
  'status:503',
  'status:503,retry-after=2',
  'status:429,retry-after=1',
  'status:500,retryable=false',
  'status:500,code=6401',
  'status:403',
  'status:404@nodes',
  'status:401',
  'status:401@login',
  'redirect-login',
  'redirect-other',
  'html',
  'wrong-content-type',
  'empty',
  'gzip',
  'gzip-cut',
  'gzip-bomb:50',
  'unknown-encoding',
  'bad-utf8',
  'big-headers',
  'no-embedded',
  'empty-list',
  'root:list',
  'deep',
  'duplicate-ids',
  'missing-ids',
  'vanished-node',
  'bad-values',
  'unknown-health',
  'error-types',
  'hostile-names',
  'proto-members',
  'future-time',
  'clock-back',
  'expire-tokens:0',
  'expire-tokens:3',
] as const

const PROFILES = ['classic', 'modern', 'documented'] as const
const POOLS = 3

/** Starts `count` systems on free ports. `pace` multiplies the poll rate of the defaults. */
export async function startSystems(count: number, pace: number): Promise<SoakSystems> {
  const systems = Array.from({ length: count }, (_, index) =>
    createEmulator({
      seed: `soak-${index}`,
      pools: POOLS,
      listenAddress: '127.0.0.1:0',
      profile: PROFILES[index % PROFILES.length] ?? 'classic',
    }),
  )
  await Promise.all(systems.map((system) => system.start()))
  let round = 0

  return {
    config: (variant) => configOf(systems, variant, pace),
    nextFaults() {
      round += 1
      for (const [index, system] of systems.entries()) {
        const isHealthy = (round + index) % 2 === 0
        const fault = FAULTS[(Math.floor(round / 2) + index * 7) % FAULTS.length]
        system.setFaults(isHealthy || fault === undefined ? [] : [fault])
      }
    },
    clearFaults() {
      for (const system of systems) system.setFaults([])
    },
    liveSessions: () => systems.reduce((sum, system) => sum + system.liveSessions('monitor'), 0),
    requests: () => systems.reduce((sum, system) => sum + system.log.count(), 0),
    stop: async () => void (await Promise.all(systems.map((system) => system.stop()))),
  }
}

/** Every second variant omits a system, and every fifth variant changes a limit. */
function configOf(systems: readonly Emulator[], variant: number, pace: number): string {
  const listed = systems.filter((_, index) => variant % 2 === 0 || index !== 0)
  const entries = listed.map(
    (system) =>
      `  - {name: "system-${systems.indexOf(system)}", base_url: "${system.url}", auth: {username: monitor, password: ${PASSWORD}}}`,
  )
  return `systems:
${entries.join('\n')}
poll: {schedule: "*/${60 / pace} * * * * *", max_random_delay: 500ms, timeout: 3s, stale_after: 30s}
forecast: {schedule: "0 */6 * * * *"}
discovery: {schedule: "*/30 * * * * *"}
limits: {requests_per_second: ${variant % 5 === 4 ? 90 : 100}, max_response_bytes: 8MiB}
`
}
