import { join } from 'node:path'
import { launchChromium, visit } from '../../test/support/programs/chromium.ts'
import { createStage, EXPORTER_PORT } from './stage.ts'

/** The picture of docs/status.md, from the root of the repository. */
const PICTURE = 'docs/images/status.png'

/** Writes the upper part of the status page of the examples, as Chromium shows it. @returns the path of the picture */
export async function writePicture(root: string): Promise<string> {
  await using stage = await createStage()
  await using browser = await launchChromium()
  await using page = await visit(browser, `http://127.0.0.1:${stage.ports.get(EXPORTER_PORT)}/`)
  await page.page.screenshot({ path: join(root, PICTURE) })
  return PICTURE
}
