import type { HostileSystem } from './hostile_system.ts'

/** How the exporter is started for an attack. */
export interface Setup {
  /** Default: plain HTTP without users. */
  readonly web?: 'tls' | 'users'
  /** One of the two systems is a {@link HostileSystem}. */
  readonly hostile?: boolean
}

/** A running exporter under attack. */
export interface Target {
  readonly pid: number
  readonly url: string
  readonly adminUrl: string
  /** Headers of the client that scrapes. */
  readonly headers: Readonly<Record<string, string>>
  /** Available with `hostile: true`. @throws otherwise */
  hostile(): HostileSystem
  logBytes(): number
}

/** Name of the system that is always healthy. */
export const STEADY = 'steady'
/** Name of the other system. */
export const OTHER = 'other'

export interface Row {
  readonly name: string
  /** What is sent. */
  readonly sent: string
  readonly setup?: Setup
  /** Duration of the attack. Default: 8. */
  readonly seconds?: number
  /** The attack ends when the memory does not grow any more. */
  readonly untilFlat?: true
  /** Ends soon after the signal. @returns exceeded limits */
  readonly attack: (target: Target, signal: AbortSignal) => Promise<readonly string[] | undefined>
}
