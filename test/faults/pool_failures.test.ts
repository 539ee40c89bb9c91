import { expect, test } from 'vitest'
import { nodesOf, pollLines, startWithEmulator } from './exporter_setup.ts'

/** A fault of each kind: no response, an unusable one, and refusals. `test/api/failures.test.ts` has all faults. */
const FAULTS = [
  ['truncate:length', 'reset'],
  ['html', 'html'],
  ['status:404', 'not_found'],
] as const

test('pools that fail keep their values and leave the others alone, until they are read again', async () => {
  await using setup = await startWithEmulator({ pools: FAULTS.length + 2 })
  const { emulator, healthy, log } = setup
  const failing = emulator.pools.filter(({ id }) => id !== healthy.id).slice(0, FAULTS.length)
  for (const { id } of failing) await setup.waitForPolls(id, 'ok')
  const before = await setup.scrape()
  const cases = FAULTS.map(([fault, reason], index) => {
    const { id = '', name = '' } = failing[index] ?? {}
    return { fault: `${fault}@nodes,pool=${name}`, reason, id, disks: nodesOf(before, id, 'sds_node_disks') }
  })
  emulator.setFaults(cases.map(({ fault }) => fault))
  for (const { id, reason } of cases) await setup.waitForPolls(id, reason, 2)
  await setup.waitForPolls(healthy.id, 'ok')
  const during = await setup.scrape()
  for (const { id, reason, disks } of cases) {
    expect(Object.keys(disks)).toHaveLength(3)
    expect(nodesOf(during, id, 'sds_node_disks')).toEqual(disks)
    expect(await setup.value('sds_pool_up', { pool_id: id })).toBe(0)
    expect(pollLines(log, id)).toEqual([`warn poll failed ${reason}`])
  }
  expect(await setup.value('sds_pool_up', { pool_id: healthy.id })).toBe(1)
  emulator.setFaults([])
  for (const { id, reason } of cases) {
    await setup.waitForPolls(id, 'ok')
    expect(await setup.value('sds_pool_up', { pool_id: id })).toBe(1)
    expect(pollLines(log, id)).toEqual([`warn poll failed ${reason}`, 'info poll works again'])
  }
  expect(pollLines(log, healthy.id)).toEqual([])
  await setup.exporter.stop()
  expect(emulator.liveSessions('monitor')).toBe(0)
})
