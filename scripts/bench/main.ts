/* biome-ignore-all lint/suspicious/noConsole: a benchmark prints its figures */
/**
 * Measures rounds of polls of 16, 640 and 10,080 nodes, and rendering and scraping with an emulated system of ten pools
 * with 64 nodes each, and prints the figures of README.md. Other programs should not run at the same time. Where Go is
 * installed, scrapes are also compared with a Go handler of ready bytes.
 *
 *   npm run bench
 */
import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'
import { milliseconds } from './comparison/figures.ts'
import { compareScrapeCpu } from './comparison/scrape_cpu.ts'
import { NODES_PER_POOL, POOLS, readFleet } from './fleet.ts'
import { measureHistory } from './history.ts'
import { measureRounds } from './polls/polls.ts'
import { compareRendering } from './rendering.ts'
import { measureResources, RESOURCE_NODES } from './resources.ts'
import { compareScraping } from './scraping.ts'

const POLLED = [
  { pools: 1, nodesPerPool: 16, intervalSeconds: 5, goal: '–', scrapedGoal: '–' },
  { pools: 10, nodesPerPool: 64, intervalSeconds: 10, goal: 'at most 0.2 s', scrapedGoal: '–' },
  { pools: 160, nodesPerPool: 63, intervalSeconds: 20, goal: 'at most 1.5 s', scrapedGoal: 'at most 3 s' },
]
const BYTES_PER_MIB = 1024 ** 2
const mebibytes = (bytes: number) => `${(bytes / BYTES_PER_MIB).toFixed(1)} MiB`

execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
console.log('CPU time of a round of polls, without scrapes and with a gzip scrape after each round:')
for (const fleet of POLLED) {
  const alone = await measureRounds(fleet, false)
  const scraped = await measureRounds(fleet, true)
  const parsed = `JSON.parse of the ${(alone.bodyBytes / 1e6).toFixed(1)} MB ${alone.parseSeconds.toFixed(3)} s`
  console.log(
    `  ${fleet.pools} × ${fleet.nodesPerPool} nodes: ${alone.cpuSeconds.toFixed(2)} s (goal: ${fleet.goal}), scraped ${scraped.cpuSeconds.toFixed(2)} s (goal: ${fleet.scrapedGoal}); ${parsed}; ` +
      `longest delay of the event loop ${scraped.longestDelayMs?.toFixed(0)} ms; ${alone.residentMiB.toFixed(0)} MiB, scraped ${scraped.residentMiB.toFixed(0)} MiB`,
  )
}

const fleet = await readFleet()
console.log(
  `${POOLS} pools of ${NODES_PER_POOL} nodes; Node.js ${process.version}, ${cpus().length} × ${cpus()[0]?.model}`,
)

const rendering = await compareRendering(fleet)
console.log(`\nRendering one poll of all pools (${rendering.series} series, ${mebibytes(rendering.bytes)}):`)
console.log(
  `  sds-exporter ${milliseconds(rendering.exporter)}, prom-client with a fresh registry ${milliseconds(rendering.reference)}`,
)
console.log(`  ratio ${rendering.ratio.toFixed(2)} (goal: at most 0.33)`)

const { figures, longestDelayMs } = await compareScraping(fleet)
for (const [encoding, { exporter, reference, ratio, bytes }] of figures) {
  console.log(`\nOne scrape, ${encoding} (${mebibytes(bytes)}):`)
  console.log(
    `  sds-exporter ${milliseconds(exporter)}, the same bytes from a constant Buffer ${milliseconds(reference)}`,
  )
  console.log(`  ratio ${ratio.toFixed(2)} (goal: at most 2)`)
}
try {
  for (const { encoding, bytes, exporter, reference, ratio } of await compareScrapeCpu()) {
    console.log(`\nCPU time of one scrape, ${encoding} (${mebibytes(bytes)}):`)
    console.log(
      `  sds-exporter ${milliseconds(exporter)}, a Go handler of the same bytes ${milliseconds(reference)}`,
    )
    console.log(`  ratio ${ratio.toFixed(2)} (goal: at most ${encoding === 'gzip' ? 1.5 : 1.2})`)
  }
} catch (failure) {
  console.log(
    `\nCPU time of one scrape: not measured: ${failure instanceof Error ? failure.message : failure}`,
  )
}
console.log(
  `\nLongest event-loop delay while all pools publish and are scraped: ${milliseconds(longestDelayMs)}`,
)
console.log(
  `Resident memory of this process, emulator and both renderings included: ${mebibytes(process.memoryUsage.rss())}`,
)

console.log(`\nCPU time of one reading of all resources (goal: with 100 namespaces less than the poll):`)
for (const [namespaces, profile] of [
  [100, 'modern'],
  [100, 'classic'],
  [2000, 'modern'],
  [2000, 'classic'],
] as const) {
  const { pollMs, resourcesMs, requests } = await measureResources(namespaces, profile)
  console.log(
    `  ${namespaces} namespaces, ${profile}: ${resourcesMs.toFixed(1)} ms in ${requests} requests; one poll of ${RESOURCE_NODES} nodes ${pollMs.toFixed(1)} ms`,
  )
}

const history = await measureHistory()
const perSecond = (samples: number) => `${Math.round(samples / 1000)} thousand samples/s`
console.log(
  `\nReading ${(history.samples / 1e6).toFixed(1)} million samples of history into an OpenMetrics file:`,
)
console.log(
  `  ${perSecond(history.perSecond)}, ${perSecond(history.perCpuSecond)} and core (goal: at least 300 thousand)`,
)
console.log(`  ratio to JSON.parse of the bodies and writing of the text: ${history.ratio.toFixed(2)}`)
console.log(`  largest resident memory of this process: ${mebibytes(history.maxResidentBytes)}`)
