import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { launchChromium, visit } from '../../test/support/programs/chromium.ts'

const DASHBOARDS = 'grafana/dashboards'
const WIDTH_PX = 1400
/** Rows of Grafana's grid, with the space between them. */
const ROW_PX = 38
const BAR_PX = 120
/** A picture shows the upper part of longer dashboards. */
const MAX_HEIGHT_PX = 1250
/** After the last result. */
const DRAWING_MS = 4000
const ROUNDS = 3
/** Values without a history, such as health, are as old as the exporter. */
const RANGE = 'from=now-1h&to=now'
/** These have a range of days. */
const OWN_RANGE = new Set(['sds-capacity', 'sds-namespaces'])
const TIMEOUT_MS = 120_000

/** What is selected, by dashboard; others show all systems. */
const SELECTIONS: Readonly<Record<string, string>> = {
  'sds-system': 'var-system=frankfurt',
  'sds-pool': 'var-system=london&var-pool=hot',
  'sds-node': 'var-system=london&var-pool=hot&var-node=hot-node-01',
  'sds-errors': 'var-system=oslo',
  'sds-performance': 'var-system=frankfurt',
  'sds-namespaces': 'var-system=frankfurt',
}

interface Board {
  readonly uid: string
  readonly panels: readonly { readonly gridPos: { readonly y: number; readonly h: number } }[]
}

export interface Picture {
  readonly file: string
  /** Errors of the browser and failed requests. */
  readonly problems: readonly string[]
}

/** Writes a picture of each dashboard of a Grafana that has them. @param only the uid of one dashboard */
export async function takePictures(grafanaUrl: string, folder: string, only?: string): Promise<Picture[]> {
  await using browser = await launchChromium()
  const pictures: Picture[] = []
  for (const name of readdirSync(DASHBOARDS)) {
    const { uid, panels } = JSON.parse(readFileSync(join(DASHBOARDS, name), 'utf8')) as Board
    if (only !== undefined && only !== uid) continue
    const rows = Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h))
    const height = Math.min(MAX_HEIGHT_PX, rows * ROW_PX + BAR_PX)
    const page = await browser.newPage({ viewport: { width: WIDTH_PX, height } })
    const problems = new Set<string>()
    page.on('console', (message) => message.type() === 'error' && problems.add(message.text()))
    page.on('pageerror', ({ message }) => problems.add(message))
    page.on(
      'response',
      (response) => response.status() >= 400 && problems.add(`${response.status()} ${response.url()}`),
    )
    const query = [SELECTIONS[uid], !OWN_RANGE.has(uid) && RANGE, 'theme=light', 'kiosk']
    const url = `${grafanaUrl}/d/${uid}?${query.filter(Boolean).join('&')}`
    await page.goto(url, { waitUntil: 'networkidle', timeout: TIMEOUT_MS })
    // Panels send their queries as they are drawn; the button says “Cancel” while some run.
    for (let round = 0; round < ROUNDS; round++) {
      await page.waitForTimeout(DRAWING_MS)
      await page.getByText('Cancel', { exact: true }).waitFor({ state: 'hidden', timeout: TIMEOUT_MS })
    }
    await page.waitForTimeout(DRAWING_MS)
    const file = join(folder, `${uid.replace('sds-', '')}.png`)
    await page.screenshot({ path: file })
    await page.close()
    pictures.push({ file, problems: [...problems] })
  }
  return pictures
}

/** Writes a picture of the upper part of a status page. */
export async function takeStatusPicture(url: string, folder: string): Promise<void> {
  await using browser = await launchChromium()
  await using page = await visit(browser, url)
  await page.page.screenshot({ path: join(folder, 'status.png') })
}
