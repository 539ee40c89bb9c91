import { expect, test } from 'vitest'
import type { Sample } from '../metrics/exposition_text.ts'
import type { LogLine } from '../readings/setup.ts'
import { startWithEmulator } from './exporter_setup.ts'

/** A fault of each kind: no response, an unusable one, and refusals. `test/api/failures.test.ts` has all faults. */
const FAULTS = [
  ['truncate:length', 'reset'],
  ['html', 'html'],
  ['status:404', 'not_found'],
] as const

/** The log lines about polls of a pool, as `level message reason`. */
const pollLines = (log: readonly LogLine[], pool: string) =>
  log
    .filter(({ message, fields }) => message.startsWith('poll') && fields['pool_id'] === pool)
    .map(({ level, message, fields }) => `${level} ${message} ${fields['reason'] ?? ''}`.trim())

/** The disks of the nodes of a pool. */
function disksOf(series: readonly Sample[], id: string) {
  const label = series.find(({ labels }) => labels['pool_id'] === id)?.labels['pool']
  const found = series.filter(({ name, labels }) => name === 'sds_node_disks' && labels['pool'] === label)
  return found.map(({ labels, value }) => [labels['node'], value])
}

test('pools that fail keep their values and leave the others alone, until they are read again', async () => {
  await using setup = await startWithEmulator({ pools: FAULTS.length + 1 })
  const { emulator, log } = setup
  const [{ id: healthy } = { id: '' }, ...failing] = emulator.pools
  const before = await setup.scrape()
  const cases = FAULTS.map(([fault, reason], index) => {
    const { id = '', name = '' } = failing[index] ?? {}
    return { fault: `${fault}@nodes,pool=${name}`, reason, id, disks: disksOf(before, id) }
  })
  emulator.setFaults(cases.map(({ fault }) => fault))
  for (const { id, reason } of cases) await setup.waitForPolls(id, reason, 2)
  await setup.waitForPolls(healthy, 'ok')
  const during = await setup.scrape()
  for (const { id, reason, disks } of cases) {
    expect(disks).toHaveLength(3)
    expect(disksOf(during, id)).toEqual(disks)
    expect(await setup.value('sds_pool_up', { pool_id: id })).toBe(0)
    expect(pollLines(log, id)).toEqual([`warn poll failed ${reason}`])
  }
  expect(await setup.value('sds_pool_up', { pool_id: healthy })).toBe(1)
  emulator.setFaults([])
  for (const { id, reason } of cases) {
    await setup.waitForPolls(id, 'ok')
    expect(await setup.value('sds_pool_up', { pool_id: id })).toBe(1)
    expect(pollLines(log, id)).toEqual([`warn poll failed ${reason}`, 'info poll works again'])
  }
  expect(pollLines(log, healthy)).toEqual([])
  await setup.exporter.stop()
  expect(emulator.liveSessions('monitor')).toBe(0)
})
