/**
 * Draws the dashboards with the data of a Prometheus as HTML and PNG, to check layout, queries and values without
 * Grafana. The drawing code is part of this repository; the result differs from Grafana in details.
 *
 *   npx node scripts/preview.ts [--prometheus.url=URL] [--output=FOLDER] [--dashboard=UID]... [--system=NAME]...
 *     [--pool=NAME]... [--node=NAME]... [--minutes=COUNT] [--to=RFC3339]
 *     [--width=PIXELS] [--no-png]
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildDashboards } from '../grafana/mixin/dashboards/build.ts'
import { launchChromium } from '../test/support/chromium.ts'
import { preview } from './preview/preview.ts'
import { prometheusAt } from './preview/prometheus.ts'

const { values } = parseArgs({
  options: {
    'prometheus.url': { type: 'string', default: 'http://127.0.0.1:9090' },
    output: { type: 'string', default: '.cache/preview' },
    /** A uid; may be repeated; default: all. */
    dashboard: { type: 'string', multiple: true },
    system: { type: 'string', multiple: true },
    pool: { type: 'string', multiple: true },
    node: { type: 'string', multiple: true },
    /** Length of the time range; default: that of each dashboard. */
    minutes: { type: 'string' },
    /** End of the time range as RFC 3339; default: now. */
    to: { type: 'string' },
    /** Of the page in pixels; 1034 is that in a window of 1366 pixels with Grafana's menu open. */
    width: { type: 'string', default: '1600' },
    'no-png': { type: 'boolean', default: false },
  },
})

const { system, pool, node } = values
const options = {
  selection: { ...(system && { system }), ...(pool && { pool }), ...(node && { node }) },
  to: (values.to ? Date.parse(values.to) : Date.now()) / 1000,
  length: values.minutes === undefined ? undefined : Number(values.minutes) * 60,
  width: Number(values.width),
}
const prometheus = prometheusAt(values['prometheus.url'])
const dashboards = buildDashboards().filter(({ uid = '' }) => values.dashboard?.includes(uid) ?? true)

mkdirSync(values.output, { recursive: true })
for (const dashboard of dashboards) {
  const { html, empty, failed } = await preview(prometheus, dashboard, options)
  writeFileSync(join(values.output, `${dashboard.uid}.html`), html)
  if (!values['no-png']) await writeScreenshot(html, join(values.output, `${dashboard.uid}.png`))
  const note = empty.length > 0 ? `, without data: ${empty.join('; ')}` : ''
  process.stdout.write(`${dashboard.uid}: drawn${note}\n`)
  for (const line of failed) process.stderr.write(`${dashboard.uid}: ${line}\n`)
  if (failed.length > 0) process.exitCode = 1
}

async function writeScreenshot(html: string, file: string): Promise<void> {
  await using browser = await launchChromium()
  const page = await browser.newPage({ viewport: { width: options.width, height: 900 } })
  await page.setContent(html)
  await page.screenshot({ path: file, fullPage: true })
}
