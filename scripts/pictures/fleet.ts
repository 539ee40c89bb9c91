import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts'
import { PASSWORD } from '../../src/emulator/http/sessions.ts'
import type { EmulatorOptions } from '../../src/emulator/options.ts'
import { run, startProcess } from '../../test/support/processes.ts'
import { type Prometheus, startPrometheus } from '../../test/support/programs/prometheus.ts'
import { toolPath } from '../../test/support/tools.ts'

/** Five systems of several releases; three have a fault, and one of them stops to answer before the pictures. */
const SYSTEMS: Readonly<Record<string, EmulatorOptions>> = {
  frankfurt: { profile: 'modern', pools: 2, nodes: 5, sites: 2 },
  london: { profile: 'modern', pools: 1, nodes: 6, scenario: 'disk-failures' },
  madrid: { profile: 'classic', pools: 2, nodes: 4, scenario: 'filling-up' },
  oslo: { profile: 'classic', pools: 1, nodes: 5, scenario: 'error-burst' },
  paris: { profile: 'classic', pools: 1, nodes: 4 },
}
/** Listens no more from {@link startFleet} on, after its past was read. */
const SILENT = 'paris'
const PAST = '-30d'
const SECONDS_OF_PAST = 30 * 86_400
const JOB = 'sds-exporter'
/** Of one step of the past, on a loaded machine. */
const TIMEOUT_MS = 3_600_000
const RULES = ['deploy/prometheus/rules/sds-recording.yml', 'deploy/prometheus/rules/sds-alerts.yml']

export interface Fleet {
  readonly prometheusUrl: string
  readonly exporterUrl: string
  stop(): Promise<void>
}

/**
 * Starts emulated systems, an exporter, and Prometheus with their past of 30 days, which takes about ten minutes the
 * first time and is kept in the folder.
 */
export async function startFleet(folder: string): Promise<Fleet> {
  mkdirSync(folder, { recursive: true })
  const emulators = await startEmulators()
  const config = join(folder, 'sds-exporter.yml')
  writeFileSync(config, configOf(emulators))
  const data = join(folder, 'data')
  if (!existsSync(data)) await writePast(folder, config, data)
  const flags = [`--config.file=${config}`, '--web.listen-address=127.0.0.1:0', '--admin.listen-address=']
  const exporter = await startProcess(process.execPath, ['src/main.ts', 'serve', ...flags])
  const [, exporterUrl = ''] = await exporter.waitForOutput(/msg=listening url=(\S+)/)
  const prometheus = await startPrometheus({
    config: {
      global: { scrape_interval: '30s', evaluation_interval: '1m' },
      scrape_configs: [{ job_name: JOB, static_configs: [{ targets: [new URL(exporterUrl).host] }] }],
    },
    ruleFiles: RULES,
    dataFolder: data,
  })
  await prometheus.waitForSamples(`count(sds_pool_up == 1) >= ${countPools()}`)
  await emulators.get(SILENT)?.stop()
  return {
    prometheusUrl: prometheus.url,
    exporterUrl,
    async stop() {
      await Promise.all([prometheus.stop(), exporter.stop()])
      for (const [name, emulator] of emulators) if (name !== SILENT) await emulator.stop()
    },
  }
}

const countPools = (): number => Object.values(SYSTEMS).reduce((sum, { pools = 0 }) => sum + pools, 0)

async function startEmulators(): Promise<Map<string, Emulator>> {
  const emulators = new Map<string, Emulator>()
  for (const [seed, options] of Object.entries(SYSTEMS)) {
    const emulator = createEmulator({ listenAddress: '127.0.0.1:0', seed, ...options })
    await emulator.start()
    emulators.set(seed, emulator)
  }
  return emulators
}

const configOf = (emulators: ReadonlyMap<string, Emulator>): string =>
  stringify({
    systems: [...emulators].map(([name, { url }]) => ({
      name,
      base_url: url,
      auth: { username: 'monitor', password: PASSWORD },
    })),
    limits: { requests_per_second: 100 },
  })

/** The feed of 30 days; the latencies of the Flux API alone would be 160 million samples of these systems. */
const PARTS = [
  { source: 'feed', from: PAST },
  { source: 'query', from: '-26h' },
] as const

async function writePast(folder: string, config: string, data: string): Promise<void> {
  const unfinished = join(folder, 'blocks')
  for (const { source, from } of PARTS) {
    const file = join(folder, `${source}.om`)
    const { code, stderr } = await run(
      process.execPath,
      [
        'src/main.ts',
        'backfill',
        `--config.file=${config}`,
        ...[`--source=${source}`, `--from=${from}`, `--label=job=${JOB}`, `--output=${file}`, '--force'],
      ],
      { timeout: TIMEOUT_MS },
    )
    if (code !== 0) throw new Error(`backfill --source=${source}: ${stderr}`)
    await create(['--max-block-duration=744h', 'openmetrics', file, unfinished])
  }
  {
    await using prometheus = await startPrometheus({ config: {}, dataFolder: unfinished })
    await writeRecorded(folder, prometheus)
  }
  for (const block of readdirSync(join(folder, 'recorded')))
    renameSync(join(folder, 'recorded', block), join(unfinished, block))
  renameSync(unfinished, data)
}

async function writeRecorded(folder: string, { url }: Prometheus): Promise<void> {
  const end = Math.floor(Date.now() / 1000)
  await create([
    '--max-block-duration=162h',
    'rules',
    `--url=${url}`,
    `--start=${end - SECONDS_OF_PAST}`,
    `--end=${end}`,
    '--eval-interval=300s',
    `--output-dir=${join(folder, 'recorded')}`,
    ...RULES.slice(0, 1),
  ])
}

async function create(args: readonly string[]): Promise<void> {
  const { code, stderr } = await run(toolPath('promtool'), ['tsdb', 'create-blocks-from', ...args], {
    timeout: TIMEOUT_MS,
  })
  if (code !== 0) throw new Error(`promtool tsdb create-blocks-from ${args.join(' ')}: ${stderr}`)
}
