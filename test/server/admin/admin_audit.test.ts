import { existsSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createAuditFile } from '../../../src/server/admin/audit_file.ts'
import { type Folder, temporaryFolder } from '../../support/folders.ts'
import { freePort } from '../../support/ports.ts'
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
    .map((line) => JSON.parse(line) as Line)
}

/** The audit lines of the log, with null instead of `unknown`. */
function logged(): Line[] {
  const audits = log.lines.filter((line) => line.startsWith('warn audit: '))
  return audits.map((line) => JSON.parse(line.slice(line.indexOf('{'))) as Line)
}

const FINGERPRINT = /^[0-9a-f]{12}$/

describe('one line for each requested deletion', () => {
  test('with all known members, in the log and in the file, before the response', async () => {
    await using admin = await start()
    const [id] = await providerIds(emulator)
    const before = Date.now()
    expect((await admin.ask('DELETE', `${LIST}/${id}`, SECURITY)).status).toBe(200)
    const [line] = lines()
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
    expect(logged()).toEqual([line])
  })

  test('for refusals of the exporter and of the system', async () => {
    await using admin = await start()
    const [id = ''] = await providerIds(emulator)
    const asked: [string, string | undefined, Record<string, string>, Line][] = [
      [
        id,
        undefined,
        {},
        { outcome: 'refused', status: 401, token_sha256: null, user: null, provider: null },
      ],
      [
        id,
        'wrong',
        {},
        { outcome: 'refused', status: 401, token_sha256: expect.stringMatching(FINGERPRINT) },
      ],
      [id, MONITOR, {}, { outcome: 'refused', status: 403, user: 'monitor', provider: 'corporate-ldap' }],
      [id, ADMIN, {}, { outcome: 'refused', status: 403, user: 'admin' }],
      [
        'urn:none:',
        SECURITY,
        {},
        { outcome: 'refused', status: 404, provider_id: 'urn:none:', provider: null },
      ],
      ['%2e%2e', SECURITY, {}, { outcome: 'refused', status: 400, provider_id: '..' }],
      ['%zz', SECURITY, {}, { outcome: 'refused', status: 400, provider_id: '%zz' }],
      [
        id,
        SECURITY,
        { Origin: 'https://evil.example' },
        { outcome: 'refused', status: 403, token_sha256: null },
      ],
      [id, SECURITY, { Host: 'evil.example' }, { outcome: 'refused', status: 421 }],
    ]
    for (const [path, token, headers] of asked) {
      await admin.ask('DELETE', `${LIST}/${path}`, token, { headers })
    }
    expect(lines()).toMatchObject(asked.map(([, , , line]) => line))
    expect(logged()).toHaveLength(asked.length)
    expect(await providerIds(emulator)).toHaveLength(4)
  })

  test('for a request without a system or with an unknown system', async () => {
    const systems = { frankfurt: emulator.url, gone: `http://127.0.0.1:${await freePort()}` }
    await using admin = await startAdmin({ systems, log, auditFile: file })
    await admin.ask('DELETE', `${LIST}/urn:a:`, SECURITY)
    await admin.ask('DELETE', `/systems/rome${LIST}/urn:a:.json`, SECURITY)
    await admin.ask('DELETE', `/systems/gone${LIST}/urn:a:`, SECURITY)
    expect(lines()).toMatchObject([
      { system: null, outcome: 'refused', status: 400, provider_id: 'urn:a:' },
      { system: 'rome', outcome: 'refused', status: 404, provider_id: 'urn:a:' },
      { system: 'gone', outcome: 'failed', status: 502, provider_id: 'urn:a:' },
    ])
  })

  test.each([
    ['reset@delete', 'unknown', 502],
    ['status:500@delete', 'failed', 500],
    ['status:503@delete', 'failed', 503],
    ['redirect-login@delete', 'refused', 401],
  ])('when the system answers with %s', async (fault, outcome, status) => {
    await using admin = await start()
    const [id] = await providerIds(emulator)
    emulator.setFaults([fault])
    await admin.ask('DELETE', `${LIST}/${id}`, SECURITY)
    expect(lines()).toMatchObject([{ outcome, status, provider: 'corporate-ldap', user: 'security' }])
  })

  test.each(['whoami', 'providers'])(
    'without members that the system does not provide (%s)',
    async (operation) => {
      await using admin = await start()
      const [id] = await providerIds(emulator)
      emulator.setFaults([`status:403@${operation}`])
      expect((await admin.ask('DELETE', `${LIST}/${id}`, SECURITY)).status).toBe(200)
      expect(lines()).toMatchObject([
        operation === 'whoami'
          ? { user: null, provider: 'corporate-ldap', outcome: 'deleted' }
          : { user: 'security', provider: null, outcome: 'deleted' },
      ])
    },
  )

  test('and none for other requests', async () => {
    await using admin = await start()
    await admin.ask('GET', LIST, MONITOR)
    await admin.ask('DELETE', LIST, MONITOR)
    await admin.ask('PUT', `${LIST}/urn:a:`, MONITOR)
    expect(logged()).toEqual([])
  })
})

describe('the audit file', () => {
  test('contains the first part of the line before the deletion is sent', async () => {
    await using admin = await start()
    const [id] = await providerIds(emulator)
    emulator.setFaults(['slow-headers:2@delete'])
    const answer = admin.ask('DELETE', `${LIST}/${id}`, SECURITY)
    await waitForAssertion(() => expect(emulator.log.count('delete')).toBe(1))
    const begun = readFileSync(file, 'utf8')
    expect(begun).toContain(`"provider_id":"${id}"`)
    expect(begun).not.toContain('outcome')
    await answer
    expect(lines()).toMatchObject([{ provider_id: id, outcome: 'deleted' }])
  })

  test.each(['/dev/full', '/nonexistent/audit.jsonl'])(
    'that cannot be written (%s) forbids deletions',
    async (path) => {
      await using admin = await start(path)
      const [id] = await providerIds(emulator)
      const { status, text } = await admin.ask('DELETE', `${LIST}/${id}.json`, SECURITY)
      expect(status).toBe(503)
      expect(JSON.parse(text)).toMatchObject({
        code: 503,
        description: expect.stringContaining('nothing was deleted'),
      })
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
    expect([lines(`${file}.1`), lines()]).toMatchObject([[{ provider_id: first }], [{ provider_id: second }]])
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
    expect(lines().map((line) => line['outcome'])).toEqual(Array(4).fill('deleted'))
    expect(new Set(lines().map((line) => line['provider_id']))).toEqual(new Set(ids))
  })

  test('completes a partial line that a crash has left', async () => {
    const CUT_END = '"outcome":"unknown"}'
    await createAuditFile(file, CUT_END).begin('{"a":1,')
    const line = await createAuditFile(file, CUT_END).begin('{"a":2,')
    await line.end('"outcome":"deleted"}')
    expect(lines()).toEqual([
      { a: 1, outcome: 'unknown' },
      { a: 2, outcome: 'deleted' },
    ])
  })

  test('begins a line after the previous one has ended', async () => {
    const audit = createAuditFile(file, '')
    const first = await audit.begin('1')
    const second = audit.begin('2')
    await first.end('a')
    await (await second).end('b')
    expect(readFileSync(file, 'utf8')).toBe('1a\n2b\n')
  })

  test('begins a line after the previous one has failed', async () => {
    const missing = join(folder.path, 'folder', 'audit.jsonl')
    const audit = createAuditFile(missing, '')
    await expect(audit.begin('1')).rejects.toThrow('ENOENT')
    await expect(audit.begin('2')).rejects.toThrow('ENOENT')
    expect(existsSync(missing)).toBe(false)
  })
})
