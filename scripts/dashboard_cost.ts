/**
 * Measures what the dashboards and rules cost a Prometheus with ten systems of 640 nodes: loads six hours of an emulated
 * fleet, and weeks of what is selected over weeks, runs the queries of all panels as Grafana does, and evaluates the
 * rules. Prints the slowest queries. Takes about ten minutes and six gigabytes of memory; other programs should not run
 * at the same time.
 *
 *   npm run dashboard-cost [-- --slowest=COUNT --systems=COUNT]
 */
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { renderRules } from '../mixin/rules/rules.ts'
import { temporaryFolder } from '../test/support/folders.ts'
import { startPrometheus } from '../test/support/prometheus.ts'
import { fleetSeries } from './dashboard_cost/fleet.ts'
import { load } from './dashboard_cost/load.ts'
import { type Cost, queryCosts } from './dashboard_cost/queries.ts'
import { type GroupCost, ruleCosts } from './dashboard_cost/rules.ts'
import { markdownTable } from './generators/markdown.ts'

/** A page with ten such panels is still usable. */
const LONGEST_QUERY_SECONDS = 2
/** Of the interval of a group; the rest is for other rules and for the peak of a start. */
const LONGEST_GROUP_SHARE = 0.1

const { values } = parseArgs({
  options: { slowest: { type: 'string', default: '10' }, systems: { type: 'string', default: '10' } },
})
const systems = Number(values.systems)

const progress = (text: string) => process.stderr.write(`${text}\n`)
using folder = temporaryFolder()
progress('reading two emulated systems of 640 nodes')
const fleet = await fleetSeries(systems)
await using prometheus = await startPrometheus({ config: {}, ruleFiles: [`${folder.path}/*.yml`] })
progress(`loading ${fleet.length.toLocaleString('en')} series`)
const end = await load(prometheus.url, fleet, systems, progress)
const costs = (await queryCosts(prometheus.url, end)).toSorted((a, b) => b.seconds - a.seconds)
process.stdout.write(`Node.js ${process.version}, ${cpus().length} × ${cpus()[0]?.model}\n\n`)
process.stdout.write(
  markdownTable(['Query', 'Seconds', 'Series'], costs.slice(0, Number(values.slowest)).map(row)),
)
process.stdout.write(`\n${costs.length} queries, ${sum(costs).toFixed(1)} s together\n\n`)
for (const { path, text } of renderRules()) folder.write(path.split('/').at(-1) ?? path, text)
progress('evaluating the rules')
const groups = await ruleCosts(prometheus.url)

process.stdout.write(markdownTable(['Rule group', 'Seconds', 'Share of its interval'], groups.map(groupRow)))
for (const { where, error } of costs) if (error !== undefined) progress(`${where}: ${error}`)
const tooSlow = costs.some(({ seconds, error }) => seconds > LONGEST_QUERY_SECONDS || error !== undefined)
if (tooSlow || groups.some((group) => share(group) > LONGEST_GROUP_SHARE)) process.exitCode = 1

function row({ where, seconds, series }: Cost): string[] {
  return [where, seconds.toFixed(2), String(series)]
}

function groupRow(group: GroupCost): string[] {
  return [group.group, group.seconds.toFixed(2), `${(share(group) * 100).toFixed(1)} %`]
}

function share({ seconds, intervalSeconds }: GroupCost): number {
  return seconds / intervalSeconds
}

function sum(list: readonly Cost[]): number {
  return list.reduce((total, { seconds }) => total + seconds, 0)
}
