import { Command } from 'commander'
import { kubernetesFiles, prometheusFiles } from '../alerting/package_files.ts'
import { CommandError, EXIT } from './cli/exit.ts'
import { ALERTING_FLAGS, alertingFrom } from './cli/flags/alerting_flags.ts'
import { addFlags, type FlagsOf, type FlagTable, parseFilePath, parseRootUrl } from './cli/flags/table.ts'
import { writeFiles } from './cli/output/written_files.ts'

const FLAGS = {
  '--out <dir>': { description: 'write the files to this folder', parse: parseFilePath },
  ...ALERTING_FLAGS,
  '--grafana.url <url>': 'root URL of Grafana, for links from alerts to dashboards',
  '--kubernetes': 'write objects for Kubernetes',
  '--dry-run': 'show which files would be written without writing them',
} as const satisfies FlagTable
type Flags = FlagsOf<typeof FLAGS>

const HELP = `
Writes sds-alerts.yml and sds-recording.yml, to be loaded by Prometheus, and
alertmanager-inhibition.yml, to be added to the configuration of Alertmanager.
With --kubernetes, the rules are objects PrometheusRule, beside ConfigMaps with
the dashboards and a kustomization.yaml. Links are left out of alerts where
their base is given neither by a flag nor in the file. docs/alerting.md has the
keys of the section \`alerting\`.`

export function rulesCommand(): Command {
  const command = new Command('rules').description(
    'write the rules for Prometheus and Alertmanager with your thresholds and links',
  )
  return addFlags(command, FLAGS).addHelpText('after', HELP).action(runRules)
}

function runRules(flags: Flags): void {
  const { out, 'grafana.url': grafana } = flags
  if (out === undefined) throw new CommandError('rules needs --out, such as --out=rules', EXIT.usage)
  // The flag has precedence over the file.
  const link = grafana === undefined ? {} : { grafanaUrl: parseRootUrl('--grafana.url', grafana) }
  const config = { ...alertingFrom(flags), ...link }
  const files = flags.kubernetes ? kubernetesFiles(config) : prometheusFiles(config)
  writeFiles(out, files, flags.dryRun ?? false)
}
