import { ADMINISTRATION } from './table/administration.ts'
import { COMMANDS } from './table/commands.ts'
import { CONFIGURATION } from './table/configuration.ts'
import { DOCTOR } from './table/doctor.ts'
import type { Example } from './table/example.ts'
import { FILES } from './table/files.ts'
import { HTTP } from './table/http.ts'
import { SCALE_OUT } from './table/scale_out.ts'

/** The worked examples of the documentation. Those that wait longest are first. */
export const EXAMPLES: readonly Example[] = [
  ...SCALE_OUT,
  ...HTTP,
  ...COMMANDS,
  ...DOCTOR,
  ...ADMINISTRATION,
  ...CONFIGURATION,
  ...FILES,
]
