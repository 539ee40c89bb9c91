/**
 * Draws the dashboards with the data of a Prometheus, as HTML and PNG: a quick look at layout, queries and
 * figures where no Grafana is at hand. It is a preview by our own small drawing code, not Grafana.
 *
 *   npx node scripts/preview.ts --prometheus.url=http://127.0.0.1:9090 --output=.cache/preview
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildDashboards } from '../mixin/dashboards/build.ts'
import { launchChromium } from '../test/support/chromium.ts'
import { preview } from './preview/preview.ts'
import { prometheusAt } from './preview/prometheus.ts'
import { PAGE_WIDTH } from './preview/style.ts'

const { values } = parseArgs({
  options: {
    'prometheus.url': { type: 'string', default: 'http://127.0.0.1:9090' },
    output: { type: 'string', default: '.cache/preview' },
    /** A uid; may be repeated; all unless given. */
    dashboard: { type: 'string', multiple: true },
    system: { type: 'string', multiple: true },
    pool: { type: 'string', multiple: true },
    node: { type: 'string', multiple: true },
    /** Minutes to show; each dashboard's own range unless given. */
    minutes: { type: 'string' },
    /** End of the range as RFC 3339; now unless given. */
    to: { type: 'string' },
    'no-png': { type: 'boolean', default: false },
  },
})

const { system, pool, node } = values
const wish = {
  selection: { ...(system && { system }), ...(pool && { pool }), ...(node && { node }) },
  to: (values.to ? Date.parse(values.to) : Date.now()) / 1000,
  length: values.minutes === undefined ? undefined : Number(values.minutes) * 60,
}
const prometheus = prometheusAt(values['prometheus.url'])
const chosen = buildDashboards().filter(({ uid = '' }) => values.dashboard?.includes(uid) ?? true)

mkdirSync(values.output, { recursive: true })
for (const dashboard of chosen) {
  const { html, empty, failed } = await preview(prometheus, dashboard, wish)
  writeFileSync(join(values.output, `${dashboard.uid}.html`), html)
  if (!values['no-png']) await photograph(html, join(values.output, `${dashboard.uid}.png`))
  const rest = empty.length > 0 ? `, without data: ${empty.join('; ')}` : ''
  process.stdout.write(`${dashboard.uid}: drawn${rest}\n`)
  for (const line of failed) process.stderr.write(`${dashboard.uid}: ${line}\n`)
  if (failed.length > 0) process.exitCode = 1
}

async function photograph(html: string, file: string): Promise<void> {
  await using browser = await launchChromium()
  const page = await browser.newPage({ viewport: { width: PAGE_WIDTH, height: 900 } })
  await page.setContent(html)
  await page.screenshot({ path: file, fullPage: true })
}
