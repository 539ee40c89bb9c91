import { Command } from 'commander'
import { buildDetails } from '../exporter/version.ts'

export function versionCommand(): Command {
  return new Command('version')
    .description('print the version with details of the build')
    .option('--json', 'print a JSON object')
    .action(({ json = false }: { json?: boolean }) => {
      const details = buildDetails()
      process.stdout.write(json ? `${JSON.stringify(details, undefined, 2)}\n` : textOf(details))
    })
}

/** The version on the first line, then one line for each detail. */
function textOf({ version, ...details }: ReturnType<typeof buildDetails>): string {
  const rows = Object.entries(details).map(([name, value]) => `  ${name.padEnd(9)}  ${value}\n`)
  return `sds-exporter ${version}\n${rows.join('')}`
}
