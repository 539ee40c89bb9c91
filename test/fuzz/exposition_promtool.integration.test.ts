import fc from 'fast-check'
import { expect } from 'vitest'
import { createExposition } from '../../src/metrics/exposition.ts'
import { temporaryFolder } from '../support/folders.ts'
import { checkMetrics, createBlocks } from '../support/promtool.ts'
import { fuzz, readCorpus } from './support/fuzz.ts'
import { bodies, renderedSystem } from './support/rendered_system.ts'

/** Systems of one exposition, so that one run of promtool checks all of them. */
const SYSTEMS = 20

/** A list of systems as JSON text, each as JSON text. */
const fleet = fc
  .array(bodies, { minLength: SYSTEMS, maxLength: SYSTEMS })
  .map((systems) => JSON.stringify([...systems, ...readCorpus('systems')]))

fuzz('promtool accepts the exposition of many systems', {
  corpus: 'fleets',
  input: fleet,
  runs: 3,
  check: async (json) => {
    const systems: string[] = JSON.parse(json)
    const exposition = createExposition(
      systems.flatMap((system, index) => renderedSystem(`s${index}`, system).parts),
    )
    const checked = await checkMetrics(exposition.text('text'))
    expect(checked).toMatchObject({ code: 0, stdout: '', stderr: '' })
    await checkOpenMetrics(exposition.text('openmetrics'))
  },
})

/** promtool reads OpenMetrics only for blocks, where each sample needs a time. */
async function checkOpenMetrics(text: string): Promise<void> {
  using folder = temporaryFolder()
  const timed = text.replaceAll(/^(?!#).+$/gm, '$& 1785312642')
  const made = await createBlocks(folder.write('exposition.om', `${timed}# EOF\n`), folder.path)
  expect(made).toMatchObject({ code: 0 })
}
