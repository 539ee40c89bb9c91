import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type RecordedLog, recordLog } from '../listener/listener_setup.ts'
import {
  ADMIN,
  auditLines,
  LIST,
  MONITOR,
  providerIds,
  SECURITY,
  type StartedEmulator,
  startAdmin,
  startEmulator,
} from './admin_setup.ts'

let emulator: StartedEmulator
let log: RecordedLog
beforeEach(async () => {
  emulator = await startEmulator()
  log = recordLog()
})
afterEach(() => emulator.stop())

const start = () => startAdmin({ systems: { frankfurt: emulator.url }, log, timeout: '30s' })

type Line = Readonly<Record<string, unknown>>

const FINGERPRINT = /^[0-9a-f]{12}$/

describe('one line for each requested deletion', () => {
  test('with all known members, before the response', async () => {
    await using admin = await start()
    const [id] = await providerIds(emulator)
    const before = Date.now()
    expect((await admin.ask('DELETE', `${LIST}/${id}`, SECURITY)).status).toBe(200)
    const [line] = auditLines(log)
    expect(line).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      system: 'frankfurt',
      provider_id: id,
      provider: 'corporate-ldap',
      address: '127.0.0.1',
      user: 'security',
      token_sha256: '7ea6d6035242',
      outcome: 'deleted',
      status: 200,
    })
    expect(Date.parse(String(line?.['time']))).toBeGreaterThanOrEqual(before - 1)
  })

  test('for refusals of the system', async () => {
    await using admin = await start()
    const [id = ''] = await providerIds(emulator)
    const asked: [string, string, Line][] = [
      [id, 'wrong', { outcome: 'refused', status: 401, token_sha256: expect.stringMatching(FINGERPRINT) }],
      [id, MONITOR, { outcome: 'refused', status: 403, user: 'monitor', provider: 'corporate-ldap' }],
      [id, ADMIN, { outcome: 'refused', status: 403, user: 'admin' }],
      [
        'urn:none:',
        SECURITY,
        { outcome: 'refused', status: 404, provider_id: 'urn:none:', provider: 'unknown' },
      ],
    ]
    for (const [path, token] of asked) await admin.ask('DELETE', `${LIST}/${path}`, token)
    expect(auditLines(log)).toMatchObject(asked.map(([, , line]) => line))
    expect(auditLines(log)).toHaveLength(asked.length)
    expect(await providerIds(emulator)).toHaveLength(4)
  })

  test.each(['whoami', 'providers'])(
    'without members that the system does not provide (%s)',
    async (operation) => {
      await using admin = await start()
      const [id] = await providerIds(emulator)
      emulator.setFaults([`status:403@${operation}`])
      expect((await admin.ask('DELETE', `${LIST}/${id}`, SECURITY)).status).toBe(200)
      expect(auditLines(log)).toMatchObject([
        operation === 'whoami'
          ? { user: 'unknown', provider: 'corporate-ldap', outcome: 'deleted' }
          : { user: 'security', provider: 'unknown', outcome: 'deleted' },
      ])
    },
  )
})

test('deletions refused before they have a line are counted: one log line at once, one per minute for the others', async () => {
  const systems = { frankfurt: emulator.url, paris: emulator.url }
  await using admin = await startAdmin({ systems, log })
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const ours = `/systems/frankfurt${LIST}/urn:a:`
  const asked: [string, string | undefined, Record<string, string>, number][] = [
    [ours, undefined, {}, 401],
    [`${LIST}/urn:a:`, SECURITY, {}, 400],
    [`/systems/rome${LIST}/urn:a:.json`, SECURITY, {}, 404],
    [`/systems/frankfurt${LIST}/%2e%2e`, SECURITY, {}, 400],
    [`/systems/frankfurt${LIST}/%zz`, SECURITY, {}, 400],
    [ours, SECURITY, { Origin: 'https://evil.example' }, 403],
    [ours, SECURITY, { Host: 'evil.example' }, 421],
  ]
  for (const [path, token, headers, status] of asked) {
    expect((await admin.ask('DELETE', path, token, { headers })).status).toBe(status)
  }
  const counts = () => log.lines.filter((line) => line.includes('refused without an audit line'))
  expect(counts()).toHaveLength(1)
  vi.advanceTimersByTime(59_000)
  expect(counts()).toHaveLength(1)
  vi.advanceTimersByTime(1000)
  expect(counts()[1]).toContain('{"count":6,"last_address":"127.0.0.1","last_status":421}')
  vi.advanceTimersByTime(600_000)
  expect(counts()).toHaveLength(2)
  expect(auditLines(log)).toEqual([])
  expect(emulator.log.count()).toBe(0)
})
