import type { ReceivedExchange } from '../../../api/client.ts'
import type { Config, SystemConfig } from '../../../config/config.ts'

/** Settings of the checks of a system. */
export interface SystemContext {
  readonly system: SystemConfig
  readonly config: Config
  readonly configFile: string
  /** `tls_config.ca_file`, if it does not exist: the system has none then. */
  readonly missingCaFile?: string | undefined
  /** Receives the root certificates of the system; undefined: they are not saved. */
  readonly certificateFile?: string | undefined
  /** Pause between two readings of the nodes. */
  readonly readingPauseMs: number
  readonly signal: AbortSignal
  /** Receives each exchange with the system; undefined: no report is written. */
  readonly received?: ((exchange: ReceivedExchange) => void) | undefined
}
