import { describe, expect, test } from 'vitest'
import { REASONS, type Reason } from '../../src/api/errors/reasons.ts'
import { nodesOf, pollLines, pollTimeoutFor, quickly, startEmulatedLab } from './lab.ts'
import { SIDE_BY_SIDE_TIMEOUT_MS, sideBySide } from './side_by_side.ts'

/** What the storage system does at one pool, and the reason that the exporter gives for it. */
const FAULTS: readonly (readonly [string, Reason])[] = [
  ['reset', 'reset'],
  ['half-open', 'timeout'],
  ['slow-headers:600', 'timeout'],
  ['slow-body:0.3', 'timeout'],
  ['stall', 'timeout'],
  ['truncate:length', 'reset'],
  ['truncate:chunked', 'reset'],
  ['truncate:close', 'syntax'],
  ['garbage', 'reset'],
  ['big-headers', 'too_large'],
  ['too-large:5', 'too_large'],
  ['endless', 'too_large'],
  ['gzip-bomb:50', 'too_large'],
  ['gzip-cut', 'encoding'],
  ['unknown-encoding:br', 'encoding'],
  ['unknown-encoding:gzip, gzip', 'encoding'],
  ['bad-utf8', 'encoding'],
  ['html', 'html'],
  ['empty', 'syntax'],
  ['bad-values:nan-literal', 'syntax'],
  ['bad-values:infinity-literal', 'syntax'],
  ['no-embedded', 'schema'],
  ['root:null', 'schema'],
  ['root:list', 'schema'],
  ['root:text', 'schema'],
  ['root:number', 'schema'],
  ['redirect-login', 'auth'],
  ['redirect-login:https://other.example.net:4443', 'auth'],
  ['redirect-other', 'redirect'],
  ['redirect-other:https://other.example.net/dashboard', 'redirect'],
  ['status:401', 'auth'],
  ['status:401,body=xml', 'auth'],
  ['status:403', 'forbidden'],
  ['status:403,body=xml', 'forbidden'],
  ['status:403,body=html', 'forbidden'],
  ['status:403,body=none', 'forbidden'],
  ['status:500,code=6401,retryable=false', 'forbidden'],
  ['status:500,code=6401,retryable=false,body=xml', 'forbidden'],
  ['status:404', 'not_found'],
  ['status:404,body=none', 'not_found'],
  ['status:400', 'client_error'],
  ['status:429', 'throttled'],
  ['status:429,retry-after=1', 'throttled'],
  ['status:503', 'unavailable'],
  ['status:503,retry-after=1', 'unavailable'],
  ['status:503,retry-after=3600', 'unavailable'],
  ['status:503,retry-after=nonsense', 'unavailable'],
  ['status:503,body=html', 'unavailable'],
  ['status:500', 'server_error'],
  ['status:500,retryable=false', 'server_error'],
  ['status:500,body=xml', 'server_error'],
  ['status:502,body=html', 'unavailable'],
  ['status:504,body=none', 'unavailable'],
  ['status:204', 'schema'],
]

async function play([fault, reason]: readonly [string, Reason]): Promise<void> {
  await using lab = await startEmulatedLab({}, quickly(pollTimeoutFor(reason)))
  const { emulator, sick, well, log } = lab
  const before = nodesOf(await lab.scrape(), sick.id, 'sds_node_disks')
  expect(Object.keys(before)).toHaveLength(3)

  emulator.setFaults([`${fault}@nodes,pool=${sick.name}`])
  await lab.waitForPolls(sick.id, reason, 2)
  await lab.waitForPolls(well.id, 'ok')
  const during = await lab.scrape()
  expect(await lab.value('sds_pool_up', { pool_id: sick.id })).toBe(0)
  expect(await lab.value('sds_pool_up', { pool_id: well.id })).toBe(1)
  expect(nodesOf(during, sick.id, 'sds_node_disks')).toEqual(before)
  expect(pollLines(log, sick.id)).toEqual([`warn poll failed ${reason}`])
  expect(pollLines(log, well.id)).toEqual([])

  emulator.setFaults([])
  await lab.waitForPolls(sick.id, 'ok')
  expect(await lab.value('sds_pool_up', { pool_id: sick.id })).toBe(1)
  expect(pollLines(log, sick.id)).toEqual([`warn poll failed ${reason}`, 'info poll works again'])
  expect(emulator.log.logins().granted).toBeLessThanOrEqual(2)
  await lab.exporter.stop()
  expect(emulator.liveSessions('monitor')).toBe(0)
}

describe('a pool that fails', () => {
  const plays = sideBySide(FAULTS, play)
  test.each(FAULTS.map(([fault, reason], index) => [fault, reason, index] as const))(
    '%s is %s',
    async (_fault, _reason, index) => {
      await plays[index]
    },
    SIDE_BY_SIDE_TIMEOUT_MS,
  )
})

describe('the table', () => {
  test('has a fault for every reason that one pool can have', () => {
    const reasons = new Set(FAULTS.map(([, reason]) => reason))
    // These are failures of the way to the system, or of the exporter: they have tests of their own.
    const elsewhere: readonly string[] = ['connect', 'dns', 'tls', 'local']
    expect(reasons).toEqual(new Set(Object.keys(REASONS).filter((reason) => !elsewhere.includes(reason))))
  })
})
