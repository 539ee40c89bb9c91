import { Command } from 'commander'
import { type Dashboard, dashboardText } from '../../alerting/dashboards.ts'
import { dashboardsWith } from '../../alerting/package_files.ts'
import { CommandError, EXIT } from '../cli/exit.ts'
import { ALERTING_FLAGS, alertingFrom } from '../cli/flags/alerting_flags.ts'
import { addFlags, type FlagsOf, type FlagTable, parseFilePath, parseRootUrl } from '../cli/flags/table.ts'
import { writeFiles } from '../cli/output/written_files.ts'
import { createGrafanaClient, GRAFANA_TOKEN_FLAG, type Presence, readGrafanaToken } from './grafana_client.ts'

const FLAGS = {
  ...ALERTING_FLAGS,
  '--out <dir>': { description: 'write the JSON files to this folder', parse: parseFilePath },
  '--grafana.url <url>': 'upload to Grafana at this URL',
  ...GRAFANA_TOKEN_FLAG,
  '--grafana.folder <title>': {
    description: 'title of the folder in Grafana; created if it does not exist',
    default: 'Storage',
  },
  '--grafana.folder-uid <uid>': { description: 'uid of that folder', default: 'sds' },
  '--dry-run': 'show what would be done without doing it',
} as const satisfies FlagTable
type Flags = FlagsOf<typeof FLAGS>

export function dashboardsCommand(): Command {
  const command = new Command('dashboards').description(
    'write the Grafana dashboards to a folder, or upload them to Grafana',
  )
  return addFlags(command, FLAGS).action(runDashboards)
}

async function runDashboards(flags: Flags): Promise<void> {
  const { out, 'grafana.url': url } = flags
  if ((out === undefined) === (url === undefined)) {
    throw new CommandError('set either --out=DIR or --grafana.url=URL; see dashboards --help', EXIT.usage)
  }
  const dashboards = dashboardsWith(alertingFrom(flags))
  if (out === undefined) return await uploadDashboards(url ?? '', dashboards, flags)
  const files = dashboards.map((dashboard) => ({
    name: `${dashboard.uid}.json`,
    text: dashboardText(dashboard),
  }))
  writeFiles(out, files, flags.dryRun ?? false)
}

async function uploadDashboards(
  address: string,
  dashboards: readonly Dashboard[],
  flags: Flags,
): Promise<void> {
  const url = parseRootUrl('--grafana.url', address)
  const grafana = createGrafanaClient(url, readGrafanaToken(flags['grafana.tokenFile']))
  const folder = { uid: flags['grafana.folderUid'], title: flags['grafana.folder'] }
  const dryRun = flags.dryRun ?? false
  if (!dryRun) await grafana.ensureFolder(folder)
  for (const dashboard of dashboards) {
    const presence = await grafana.presence(dashboard, folder.uid)
    if (presence !== 'same' && !dryRun) await grafana.upload(dashboard, folder.uid)
    process.stdout.write(`${describe(presence, dryRun)} ${dashboard.uid} (${dashboard.title})\n`)
  }
}

function describe(presence: Presence, dryRun: boolean): string {
  if (presence === 'same') return 'unchanged'
  const verb = presence === 'missing' ? 'create' : 'update'
  return dryRun ? `would ${verb}` : `${verb}d`
}
