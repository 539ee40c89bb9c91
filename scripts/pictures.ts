/**
 * Pictures of the dashboards for the documentation, from a real Grafana, which is not part of the tests.
 *
 *   npm run pictures -- --fleet=FOLDER
 *     starts five emulated systems, an exporter, and Prometheus with a past of 30 days, until it is interrupted
 *   npm run pictures -- --grafana.url=URL [--dashboard=UID] [--output=docs/images]
 *     takes the pictures; Grafana needs that Prometheus as its data source, and the files of grafana/dashboards
 *   npm run pictures -- --status.url=URL [--output=docs/images]
 *     takes the picture of the status page of an exporter
 */

import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { takePictures, takeStatusPicture } from './pictures/boards.ts'
import { startFleet } from './pictures/fleet.ts'

const { values: flags } = parseArgs({
  options: {
    fleet: { type: 'string' },
    'grafana.url': { type: 'string' },
    'status.url': { type: 'string' },
    dashboard: { type: 'string' },
    output: { type: 'string', default: 'docs/images' },
  },
})

if (flags.fleet !== undefined) {
  const fleet = await startFleet(flags.fleet)
  process.stdout.write(
    `Prometheus: ${fleet.prometheusUrl}\nExporter: ${fleet.exporterUrl}\nCtrl+C ends both.\n`,
  )
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  await fleet.stop()
} else if (flags['grafana.url'] !== undefined) {
  for (const { file, problems } of await takePictures(flags['grafana.url'], flags.output, flags.dashboard))
    process.stdout.write(`${[file, ...problems].join('\n  ')}\n`)
} else if (flags['status.url'] !== undefined) {
  await takeStatusPicture(flags['status.url'], flags.output)
} else {
  process.stderr.write(
    'give --fleet=FOLDER, --grafana.url=URL or --status.url=URL; see scripts/pictures.ts\n',
  )
  process.exitCode = 2
}
