import { describe, expect, test } from 'vitest'
import { REASONS, type Reason } from '../../src/api/errors/reasons.ts'
import { nodesOf, pollEverySecond, pollLines, pollTimeoutFor, startWithEmulator } from './exporter_setup.ts'
import { PARALLEL_TIMEOUT_MS, startInParallel } from './parallel.ts'

/** A fault of one pool for each reason of failed polls. `test/api/failures.test.ts` has all faults. */
const FAULTS: readonly (readonly [string, Reason])[] = [
  ['reset', 'reset'],
  ['half-open', 'timeout'],
  ['truncate:close', 'syntax'],
  ['too-large:5', 'too_large'],
  ['gzip-cut', 'encoding'],
  ['html', 'html'],
  ['no-embedded', 'schema'],
  ['redirect-login', 'auth'],
  ['redirect-other', 'redirect'],
  ['status:403', 'forbidden'],
  ['status:404', 'not_found'],
  ['status:400', 'client_error'],
  ['status:429', 'throttled'],
  ['status:503', 'unavailable'],
  ['status:500', 'server_error'],
]

async function runCase([fault, reason]: readonly [string, Reason]): Promise<void> {
  await using setup = await startWithEmulator({}, pollEverySecond(pollTimeoutFor(reason)))
  const { emulator, faulty, healthy, log } = setup
  const before = nodesOf(await setup.scrape(), faulty.id, 'sds_node_disks')
  expect(Object.keys(before)).toHaveLength(3)

  emulator.setFaults([`${fault}@nodes,pool=${faulty.name}`])
  await setup.waitForPolls(faulty.id, reason, 2)
  await setup.waitForPolls(healthy.id, 'ok')
  const during = await setup.scrape()
  expect(await setup.value('sds_pool_up', { pool_id: faulty.id })).toBe(0)
  expect(await setup.value('sds_pool_up', { pool_id: healthy.id })).toBe(1)
  expect(nodesOf(during, faulty.id, 'sds_node_disks')).toEqual(before)
  expect(pollLines(log, faulty.id)).toEqual([`warn poll failed ${reason}`])
  expect(pollLines(log, healthy.id)).toEqual([])

  emulator.setFaults([])
  await setup.waitForPolls(faulty.id, 'ok')
  expect(await setup.value('sds_pool_up', { pool_id: faulty.id })).toBe(1)
  expect(pollLines(log, faulty.id)).toEqual([`warn poll failed ${reason}`, 'info poll works again'])
  expect(emulator.log.logins().granted).toBeLessThanOrEqual(2)
  await setup.exporter.stop()
  expect(emulator.liveSessions('monitor')).toBe(0)
}

describe('a pool that fails', () => {
  const runs = startInParallel(FAULTS, runCase)
  test.each(FAULTS.map(([fault, reason], index) => [fault, reason, index] as const))(
    '%s is %s',
    async (_fault, _reason, index) => {
      await runs[index]
    },
    PARALLEL_TIMEOUT_MS,
  )
})

describe('the table of faults', () => {
  test('has a fault for every reason that can affect a single pool', () => {
    const reasons = new Set(FAULTS.map(([, reason]) => reason))
    // Failures of the connection or of the exporter; other files test them.
    const elsewhere: readonly string[] = ['connect', 'dns', 'tls', 'local']
    expect(reasons).toEqual(new Set(Object.keys(REASONS).filter((reason) => !elsewhere.includes(reason))))
  })
})
