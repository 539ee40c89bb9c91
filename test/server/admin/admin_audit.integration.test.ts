import { appendFileSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createAuditFile } from '../../../src/administration/audit.ts'
import { type Folder, temporaryFolder } from '../../support/folders.ts'
import { waitForAssertion } from '../../support/wait.ts'
import { type RecordedLog, recordLog } from '../listener/listener_setup.ts'
import {
  ADMIN,
  LIST,
  MONITOR,
  providerIds,
  SECURITY,
  type StartedEmulator,
  startAdmin,
  startEmulator,
} from './admin_setup.ts'
import { startSystemStub } from './system_stub.ts'

let folder: Folder
let file: string
let emulator: StartedEmulator
let log: RecordedLog
beforeEach(async () => {
  folder = temporaryFolder()
  file = join(folder.path, 'audit.jsonl')
  emulator = await startEmulator()
  log = recordLog()
})
afterEach(async () => {
  await emulator.stop()
  folder[Symbol.dispose]()
})

const start = (auditFile = file) =>
  startAdmin({ systems: { frankfurt: emulator.url }, log, auditFile, timeout: '30s' })

type Line = Readonly<Record<string, unknown>>

function lines(path = file): Line[] {
  const text = readFileSync(path, 'utf8')
  expect(text === '' || text.endsWith('\n')).toBe(true)
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

/** The lines with an outcome of the audit file. */
const results = () => lines().filter(({ outcome }) => outcome !== 'pending')

/** The audit lines of the log, with null instead of `unknown`. */
function logged(): Line[] {
  const audits = log.lines.filter((line) => line.startsWith('warn audit: deletion of '))
  return audits.map((line) => JSON.parse(line.slice(line.indexOf('{'))) as Line)
}

const FINGERPRINT = /^[0-9a-f]{12}$/

describe('one line for each requested deletion', () => {
  test('with all known members, in the log and in the file, before the response', async () => {
    await using admin = await start()
    const [id] = await providerIds(emulator)
    const before = Date.now()
    expect((await admin.ask('DELETE', `${LIST}/${id}`, SECURITY)).status).toBe(200)
    const [pending, line] = lines()
    expect(line).toEqual({
      audit_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
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
    expect(pending).toEqual({ ...line, outcome: 'pending', status: null })
    expect(logged()).toEqual([line])
  })

  test('for refusals of the system', async () => {
    await using admin = await start()
    const [id = ''] = await providerIds(emulator)
    const asked: [string, string, Line][] = [
      [id, 'wrong', { outcome: 'refused', status: 401, token_sha256: expect.stringMatching(FINGERPRINT) }],
      [id, MONITOR, { outcome: 'refused', status: 403, user: 'monitor', provider: 'corporate-ldap' }],
      [id, ADMIN, { outcome: 'refused', status: 403, user: 'admin' }],
      ['urn:none:', SECURITY, { outcome: 'refused', status: 404, provider_id: 'urn:none:', provider: null }],
    ]
    for (const [path, token] of asked) await admin.ask('DELETE', `${LIST}/${path}`, token)
    expect(results()).toMatchObject(asked.map(([, , line]) => line))
    expect(logged()).toHaveLength(asked.length)
    expect(await providerIds(emulator)).toHaveLength(4)
  })

  test.each(['whoami', 'providers'])(
    'without members that the system does not provide (%s)',
    async (operation) => {
      await using admin = await start()
      const [id] = await providerIds(emulator)
      emulator.setFaults([`status:403@${operation}`])
      expect((await admin.ask('DELETE', `${LIST}/${id}`, SECURITY)).status).toBe(200)
      expect(results()).toMatchObject([
        operation === 'whoami'
          ? { user: null, provider: 'corporate-ldap', outcome: 'deleted' }
          : { user: 'security', provider: null, outcome: 'deleted' },
      ])
    },
  )
})

describe('the audit file', () => {
  test('contains a line before the deletion is sent', async () => {
    await using admin = await start()
    const [id] = await providerIds(emulator)
    emulator.setFaults(['slow-headers:2@delete'])
    const answer = admin.ask('DELETE', `${LIST}/${id}`, SECURITY)
    await waitForAssertion(() => expect(emulator.log.count('delete')).toBe(1))
    expect(lines()).toMatchObject([{ provider_id: id, outcome: 'pending' }])
    await answer
    expect(results()).toMatchObject([{ provider_id: id, outcome: 'deleted' }])
  })

  test.each(['/dev/full', '/nonexistent/audit.jsonl'])(
    'that cannot be written (%s) forbids deletions',
    async (path) => {
      await using admin = await start(path)
      const [id] = await providerIds(emulator)
      const { status, text } = await admin.ask('DELETE', `${LIST}/${id}.json`, SECURITY)
      expect(status).toBe(503)
      const description = expect.stringContaining('nothing was deleted')
      expect(JSON.parse(text)).toMatchObject({ code: 503, description })
      expect(text).not.toContain(path)
      expect(emulator.log.count('delete')).toBe(0)
      expect(logged()).toMatchObject([{ outcome: 'failed', status: 503, provider: 'corporate-ldap' }])
      expect((await admin.ask('GET', LIST, MONITOR)).status).toBe(200)
    },
  )

  test('can be renamed at any time', async () => {
    await using admin = await start()
    const [first, second] = await providerIds(emulator)
    await admin.ask('DELETE', `${LIST}/${first}`, SECURITY)
    renameSync(file, `${file}.1`)
    await admin.ask('DELETE', `${LIST}/${second}`, SECURITY)
    const idsIn = (path: string) => new Set(lines(path).map((line) => line['provider_id']))
    expect([idsIn(`${file}.1`), idsIn(file)]).toEqual([new Set([first]), new Set([second])])
  })

  test('is not readable by others', async () => {
    await using admin = await start()
    await admin.ask('DELETE', `${LIST}/urn:a:`, SECURITY)
    expect(statSync(file).mode & 0o007).toBe(0)
  })

  test('keeps the lines of simultaneous deletions apart', async () => {
    await using admin = await start()
    const ids = await providerIds(emulator)
    await Promise.all(ids.map((id) => admin.ask('DELETE', `${LIST}/${id}`, SECURITY)))
    expect(results().map((line) => line['outcome'])).toEqual(Array(4).fill('deleted'))
    expect(new Set(results().map((line) => line['provider_id']))).toEqual(new Set(ids))
  })

  test('separates a partial line that a crash has left from the next line', async () => {
    writeFileSync(file, '{"a":1,')
    await createAuditFile(file).append('{"a":2}')
    expect(readFileSync(file, 'utf8')).toBe('{"a":1,\n{"a":2}\n')
  })

  test('keeps what another process appended while a line failed', async () => {
    const handle = await open(file, 'a')
    const sync = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'sync')
    await handle.close()
    sync.mockImplementationOnce(async () => {
      appendFileSync(file, '{"other":1}\n')
      throw new Error('EIO')
    })
    const audit = createAuditFile(file)
    await expect(audit.append('{"a":1}')).rejects.toThrow('EIO')
    await audit.append('{"a":2}')
    expect(lines()).toContainEqual({ other: 1 })
    expect(lines().at(-1)).toEqual({ a: 2 })
  })

  test('has no invisible characters, and loses nothing', async () => {
    const name = 'a\u009b\u202eb\u2066\u200e\u061c\u200b'
    await using stub = await startSystemStub({ id: 'urn:a\u2069:', name })
    await using admin = await startAdmin({ systems: { frankfurt: stub.url }, log, auditFile: file })
    await admin.ask('DELETE', `${LIST}/${encodeURIComponent('urn:a\u2069:')}`, SECURITY)
    expect(readFileSync(file, 'utf8')).toMatch(/^[\x20-\x7e\n]*$/)
    expect(results()).toMatchObject([{ provider: name, provider_id: 'urn:a\u2069:' }])
  })
})

test('deletions refused before they have a line are counted: one log line at once, one per minute for the others', async () => {
  const systems = { frankfurt: emulator.url, paris: emulator.url }
  await using admin = await startAdmin({ systems, log, auditFile: file })
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
  expect(logged()).toEqual([])
  expect(existsSync(file)).toBe(false)
  expect(emulator.log.count()).toBe(0)
})
