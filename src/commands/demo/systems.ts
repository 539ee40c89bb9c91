import type { Emulator } from '../../emulator/emulator.ts'
import { ACCOUNTS, PASSWORD } from '../../emulator/http/sessions.ts'
import type { EmulatorOptions } from '../../emulator/options.ts'
import type { Profile } from '../../emulator/protocol/profiles.ts'
import { counted, namesText } from '../../text.ts'
import { parseListenAddress } from '../../values/listen_address.ts'
import { createEmulatedSystem, startEmulatedSystem } from '../cli/emulated_system.ts'
import { CommandError, EXIT } from '../cli/exit.ts'
import { itemList, paragraph } from '../cli/output/width.ts'

/** One system for each source of performance metrics. Both have the same nodes and the same values. */
const BOTH_SOURCES = [
  { name: 'classic', profile: 'classic', help: 'version 3.5, performance metrics in the dashboard API' },
  { name: 'modern', profile: 'modern', help: 'version 4.3, performance metrics in the Flux API' },
] as const satisfies readonly { name: string; profile: Profile; help: string }[]

/** The name of the only system, for `--profile`. */
const ONLY_NAME = 'demo'
const MAX_PORT = 65_535

interface DemoSystem {
  readonly name: string
  readonly help: string
  readonly emulator: Emulator
}

/** @throws {CommandError} usage error, for invalid options */
export function createDemoSystems(options: EmulatorOptions & { listenAddress: string }) {
  const { listenAddress, profile } = options
  const rows =
    profile === undefined ? BOTH_SOURCES : [{ name: ONLY_NAME, profile, help: `profile ${profile}` }]
  const systems = rows.map(({ name, help, profile }, index) => {
    const address = addressOf(listenAddress, index)
    const emulator = createEmulatedSystem({
      ...options,
      profile,
      listenAddress: address,
      vdcName: `vdc-${name}`,
    })
    return { name, help, listenAddress: address, emulator }
  })
  return {
    /** @throws {ListenError} when an address cannot be bound */
    async start(): Promise<void> {
      for (const { emulator, listenAddress } of systems)
        await startEmulatedSystem(emulator, listenAddress, '--emulator.listen-address')
    },
    async stop(): Promise<void> {
      await Promise.all(systems.map(({ emulator }) => emulator.stop()))
    },
    /** The configuration of the exporter, as YAML. */
    config: (): string => configOf(systems),
    /** URLs, unless they are valid in a container only, pools and users, for the terminal. */
    describe: (hasUrls: boolean): string => describeSystems(systems, hasUrls),
  }
}

/** Each system has the port after that of the one before it. */
function addressOf(first: string, index: number): string {
  const { port } = parseListenAddress(first)
  if (port === 0 || index === 0) return first
  if (port + index > MAX_PORT)
    throw new CommandError(`--emulator.listen-address=${first}: two systems need two ports`, EXIT.usage)
  return first.replace(/\d+$/, String(port + index))
}

/**
 * Polls often, so that metrics change while the demo is watched. New points of the Flux API are read soon, and the
 * first values are not delayed by the limit that protects real systems.
 */
function configOf(systems: readonly DemoSystem[]): string {
  const items = systems.map(
    ({ name, emulator: { url } }) => `  - name: ${name}
    base_url: ${url}
    auth: {username: monitor, password: ${PASSWORD}}`,
  )
  return `
systems:
${items.join('\n')}
poll: {schedule: "*/15 * * * * *", max_random_delay: 0s}
performance: {schedule: "0 * * * * *"}
limits: {requests_per_second: 1000}
`
}

function describeSystems(systems: readonly DemoSystem[], hasUrls: boolean): string {
  const lines = systems.map(
    ({ name, help, emulator }) => [name, `${hasUrls ? `${emulator.url}   ` : ''}${help}`] as const,
  )
  const [first] = systems
  const pools =
    first?.emulator.pools.map(({ name, nodes }) => `${name} (${counted(nodes.length, 'node')})`) ?? []
  const users = Object.entries(ACCOUNTS).map(([user, { token }]) => `${user} (token ${token})`)
  return `Emulated storage systems${systems.length > 1 ? ', with the same pools, nodes and values' : ''}:
${itemList(lines)}
${paragraph(`  Pools: ${namesText(pools, String)}
  Users, with the password ${PASSWORD}: ${users.join(', ')}`)}
`
}
