/**
 * Measures what the dashboards and rules cost a Prometheus with ten systems of 640 nodes: loads six hours of an emulated
 * fleet with the scrape interval of `deploy/`, and a month of what is selected over weeks, runs the queries of all panels
 * as Grafana does, and evaluates the rules. Prints the slowest queries. Takes about 20 minutes and ten gigabytes of memory;
 * other programs should not run at the same time. Where they do, the CPU seconds say more, and the known query says how
 * fast the machine was.
 *
 *   npm run dashboard-cost [-- --slowest=COUNT --systems=COUNT]
 */
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { renderRules } from '../grafana/mixin/rules/rules.ts'
import { PROMETHEUS } from '../grafana/mixin/settings.ts'
import { temporaryFolder } from '../test/support/folders.ts'
import { startPrometheus } from '../test/support/programs/prometheus.ts'
import { fleetSeries } from './dashboard_cost/fleet.ts'
import { load } from './dashboard_cost/load.ts'
import { type Cost, KNOWN_QUERY, knownQuery, queryCosts, STEPS } from './dashboard_cost/queries.ts'
import { type GroupCost, ruleCosts } from './dashboard_cost/rules.ts'
import { markdownTable } from './markdown/markdown.ts'

/** A page with ten such panels is still usable. */
const LONGEST_QUERY_SECONDS = 2
/** Of the interval of a group; the rest is for other rules and for the peak of a start. */
const LONGEST_GROUP_SHARE = 0.1

const { values } = parseArgs({
  options: { slowest: { type: 'string', default: '10' }, systems: { type: 'string', default: '10' } },
})

const progress = (text: string) => process.stderr.write(`${text}\n`)
const print = (text: string) => process.stdout.write(`${text}\n`)
using folder = temporaryFolder()
progress('reading two emulated systems of 640 nodes')
const fleet = await fleetSeries(Number(values.systems))
await using prometheus = await startPrometheus({ config: {}, ruleFiles: [`${folder.path}/*.yml`] })
progress(`loading ${fleet.length.toLocaleString('en')} series`)
const end = await load(prometheus.url, fleet, progress)
const known = await knownQuery(prometheus.url, end)
const costs = (await queryCosts(prometheus.url, end)).toSorted((a, b) => b.seconds - a.seconds)
print(`Node.js ${process.version}, ${cpus().length} × ${cpus()[0]?.model}`)
print(
  `Samples every ${PROMETHEUS.scrapeIntervalSeconds} s. Graphs of six hours have ${STEPS} points, or fewer where the panel`,
)
print('has an interval: Grafana then asks for as many. Tiles and tables have one.')
print(
  `The known query ${KNOWN_QUERY} took ${known.seconds.toFixed(2)} s, CPU ${known.cpuSeconds.toFixed(2)} s.\n`,
)
print(
  markdownTable(
    ['Query', 'Points', 'Series', 'Seconds', 'CPU seconds'],
    costs.slice(0, Number(values.slowest)).map(row),
  ),
)
const [seconds, cpuSeconds] = [sum(costs, 'seconds'), sum(costs, 'cpuSeconds')]
print(`${costs.length} queries, ${seconds.toFixed(1)} s together, CPU ${cpuSeconds.toFixed(1)} s\n`)
for (const { path, text } of renderRules()) folder.write(path.split('/').at(-1) ?? path, text)
progress('evaluating the rules')
const groups = await ruleCosts(prometheus.url)
print(markdownTable(['Rule group', 'Seconds', 'Share of its interval', 'CPU seconds'], groups.map(groupRow)))

for (const { where, error } of costs) if (error !== undefined) progress(`${where}: ${error}`)
const tooSlow = costs.some((cost) => cost.seconds > LONGEST_QUERY_SECONDS || cost.error !== undefined)
if (tooSlow || groups.some((group) => share(group) > LONGEST_GROUP_SHARE)) process.exitCode = 1

function row({ where, points, series, seconds, cpuSeconds }: Cost): string[] {
  return [where, String(points), String(series), seconds.toFixed(2), cpuSeconds.toFixed(2)]
}

function groupRow(group: GroupCost): string[] {
  return [
    group.group,
    group.seconds.toFixed(2),
    `${(share(group) * 100).toFixed(1)} %`,
    group.cpuSeconds.toFixed(2),
  ]
}

function share({ seconds, intervalSeconds }: GroupCost): number {
  return seconds / intervalSeconds
}

function sum(list: readonly Cost[], key: 'seconds' | 'cpuSeconds'): number {
  return list.reduce((total, cost) => total + cost[key], 0)
}
