import type { HostileSystem } from './hostile_system.ts'
import type { Stopped } from './processes.ts'

/** How the exporter is started for an attack. */
export interface Setup {
  /** Interval of the polls. Default: 2. */
  readonly pollSeconds?: number
  /** Default: plain HTTP without users. */
  readonly web?: 'tls' | 'users'
  /** Serve `POST /-/reload`. */
  readonly lifecycle?: boolean
  /** One of the two systems is a {@link HostileSystem}. */
  readonly hostile?: boolean
  /** Further systems, for whose names no name server answers. The steady system then has a name, too. Needs root. */
  readonly hangingNames?: number
}

/** A running exporter under attack. */
export interface Target {
  readonly pid: number
  readonly url: string
  /** Empty if there is no administration. */
  readonly adminUrl: string
  /** Headers of the client that scrapes. */
  readonly headers: Readonly<Record<string, string>>
  /** Available with `hostile: true`. @throws otherwise */
  readonly hostile: () => HostileSystem
  readonly configFile: string
  /** Undefined without an audit file. */
  readonly auditFile: string | undefined
  /** What the exporter wrote so far. */
  log(): string
  logBytes(): number
  /** How the process ended; undefined while it runs. */
  end(): string | undefined
  stop(): Promise<Stopped>
}

/** Name of the system that is always healthy. */
export const STEADY = 'steady'
/** Name of the other system. */
export const OTHER = 'other'

/** What an attack found besides the measured figures. */
export interface Findings {
  /** Exceeded limits. */
  readonly problems?: readonly string[]
  /** A figure for the table. */
  readonly note?: string
}

export interface Row {
  readonly name: string
  /** What is sent. */
  readonly sent: string
  readonly setup?: Setup
  /** Duration of the attack. Default: 8. */
  readonly seconds?: number
  /** Ends soon after the signal. */
  readonly attack: (target: Target, signal: AbortSignal) => Promise<Findings | undefined>
}
