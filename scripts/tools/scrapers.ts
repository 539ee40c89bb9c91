import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildProgram, buildPrograms, type GoModule } from './go_programs.ts'
import { folderOf, PROMETHEUS3 } from './prometheus3.ts'

export const VICTORIA_METRICS = {
  path: 'github.com/VictoriaMetrics/VictoriaMetrics',
  module: 'v1.151.0',
  version: '1.151.0',
  names: ['vmagent', 'victoria-metrics'],
  programs: 'app',
} as const satisfies GoModule

const CONTRIB = 'github.com/open-telemetry/opentelemetry-collector-contrib'
const CORE = 'go.opentelemetry.io/collector'
const CONTRIB_VERSION = '0.165.1'
const [CORE_1, CORE_0] = ['v1.71.0', 'v0.165.0']

/** A collector of the few components that the test needs, all of one release. */
export const COLLECTOR = {
  version: CONTRIB_VERSION,
  name: 'otelcol',
  source: new URL('../../test/scrapers/collector.go', import.meta.url),
  modules: {
    [`${CONTRIB}/exporter/prometheusremotewriteexporter`]: `v${CONTRIB_VERSION}`,
    [`${CONTRIB}/receiver/prometheusreceiver`]: `v${CONTRIB_VERSION}`,
    [`${CORE}/component`]: CORE_1,
    [`${CORE}/confmap`]: CORE_1,
    [`${CORE}/confmap/provider/fileprovider`]: CORE_1,
    [`${CORE}/exporter`]: CORE_1,
    [`${CORE}/exporter/otlphttpexporter`]: CORE_0,
    [`${CORE}/otelcol`]: CORE_0,
    [`${CORE}/receiver`]: CORE_1,
    [`${CORE}/service`]: CORE_0,
  },
}

const FOLDER = fileURLToPath(new URL('../../.cache/scrapers/', import.meta.url))
const VICTORIA_METRICS_FOLDER = join(FOLDER, `victoria-metrics-${VICTORIA_METRICS.version}`)
const COLLECTOR_FOLDER = join(FOLDER, `${COLLECTOR.name}-${COLLECTOR.version}`)

/** The paths of the programs that `buildScrapers` builds. */
export const SCRAPER_PATHS = {
  prometheus3: join(folderOf(PROMETHEUS3), 'prometheus'),
  victoriaMetrics: join(VICTORIA_METRICS_FOLDER, 'victoria-metrics'),
  vmagent: join(VICTORIA_METRICS_FOLDER, 'vmagent'),
  collector: join(COLLECTOR_FOLDER, COLLECTOR.name),
} as const

/** @throws what failed */
export function buildScrapers(): void {
  buildPrograms(VICTORIA_METRICS, VICTORIA_METRICS_FOLDER)
  buildProgram(COLLECTOR, COLLECTOR_FOLDER)
  buildPrograms(PROMETHEUS3, folderOf(PROMETHEUS3))
}
