import { type AlertingConfig, DEFAULT_ALERTING } from '../../../alerting/config.ts'
import { loadAlerting } from '../../../config/load.ts'
import { ConfigError } from '../../../config/values/problems.ts'
import { CommandError } from '../exit.ts'
import { namedConfigFile } from './config_file.ts'
import { type FlagsOf, type FlagTable, parseRootUrl } from './table.ts'

/** Flags of commands that write rules or dashboards with the settings of users. */
export const ALERTING_FLAGS = {
  '--config.file <file>':
    'file with the section `alerting`: the configuration file, or one with this section and `forecast` only (default: $SDS_CONFIG_FILE)',
  '--runbook.base-url <url>':
    'address of the runbooks, for links from alerts: docs/alerts.md, or the page /runbooks of an exporter',
} as const satisfies FlagTable
type AlertingFlags = FlagsOf<typeof ALERTING_FLAGS>

/** `--runbook.base-url` has precedence over the file. */
export function alertingFrom(flags: AlertingFlags): AlertingConfig {
  const config = readAlerting(flags)
  const url = flags['runbook.baseUrl']
  return url === undefined ? config : { ...config, runbookBaseUrl: parseRootUrl('--runbook.base-url', url) }
}

function readAlerting(flags: AlertingFlags): AlertingConfig {
  const file = flags['config.file'] ?? namedConfigFile(process.env)
  if (file === undefined) return DEFAULT_ALERTING
  try {
    return loadAlerting(file, process.env)
  } catch (failure) {
    if (failure instanceof ConfigError) throw new CommandError(failure.message)
    throw failure
  }
}
