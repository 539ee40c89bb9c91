import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { GoModule } from './go_programs.ts'

/**
 * Prometheus 3 and Alertmanager, in the versions that the Compose file and an overlay pin. These are the newest ones that
 * can be built from the module proxy: Alertmanager from 0.32 on needs files of its web interface that its module does not
 * have, and Prometheus 3.16.0 a dependency that the proxy does not have.
 */
export const PROMETHEUS3 = {
  path: 'github.com/prometheus/prometheus',
  module: 'v0.315.0',
  version: '3.15.0',
  names: ['promtool', 'prometheus'],
} as const satisfies GoModule

export const ALERTMANAGER = {
  path: 'github.com/prometheus/alertmanager',
  module: 'v0.31.1',
  version: '0.31.1',
  names: ['amtool', 'alertmanager'],
} as const satisfies GoModule

export const PROMETHEUS3_FOLDER = fileURLToPath(new URL('../../.cache/prometheus3/', import.meta.url))

/** Where the programs of a module are built. */
export const folderOf = ({ version }: GoModule): string => join(PROMETHEUS3_FOLDER, version)
