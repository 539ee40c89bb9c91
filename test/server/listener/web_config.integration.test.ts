import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashSync } from 'bcryptjs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ConfigError } from '../../../src/config/values/problems.ts'
import { openWebConfig } from '../../../src/server/listener/web_config.ts'
import { type Folder, temporaryFolder } from '../../support/folders.ts'
import { get } from '../../support/http.ts'
import { recordLog, startListener } from './listener_setup.ts'

const CHEAP = 4
const HASH = hashSync('secret', CHEAP)
const OTHER_HASH = hashSync('other', CHEAP)
const AUTHORIZATION = { authorization: `Basic ${Buffer.from('alice:secret').toString('base64')}` }
/** Every request checks the files. */
const limits = { webFileCheckMs: 0 }

let folder: Folder
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => folder[Symbol.dispose]())

describe('a listener with a web configuration file', () => {
  test('does not start with an invalid file, and reports all problems', async () => {
    const webConfigFile = folder.write('web.yml', 'colour: red\nbasic_auth_users: {alice: secret}')
    const starting = startListener({ webConfigFile })
    await expect(starting).rejects.toBeInstanceOf(ConfigError)
    const problems = /2 problems\n.*colour: unknown key\n.*basic_auth_users.alice: expected/
    await expect(starting).rejects.toThrow(problems)
  })

  test('sends the headers of the file with every response', async () => {
    const headers = { 'X-Frame-Options': 'deny', 'Content-Security-Policy': "default-src 'none'" }
    const config = { http_server_config: { headers }, basic_auth_users: { alice: HASH } }
    const webConfigFile = folder.write('web.yml', JSON.stringify(config))
    await using listener = await startListener({ webConfigFile })
    for (const path of ['/metrics', '/-/healthy', `/${'a'.repeat(3000)}`]) {
      expect((await get(`${listener.url}${path}`)).headers).toMatchObject({
        'x-frame-options': 'deny',
        'content-security-policy': "default-src 'none'",
        'x-content-type-options': 'nosniff',
      })
    }
  })
})

describe('a change of the file', () => {
  async function start(yaml: string) {
    const log = recordLog()
    const webConfigFile = folder.write('web.yml', yaml)
    const listener = await startListener({ webConfigFile, log, limits })
    const status = async (path = '/metrics') => (await get(`${listener.url}${path}`, AUTHORIZATION)).status
    return { ...listener, log, status }
  }

  test('adds and removes users without a restart', async () => {
    await using listener = await start(`basic_auth_users: {alice: "${HASH}"}`)
    expect(await listener.status()).toBe(200)
    folder.write('web.yml', `basic_auth_users: {alice: "${OTHER_HASH}"}`)
    expect(await listener.status()).toBe(401)
    folder.write('web.yml', `basic_auth_users: {bob: "${HASH}"}`)
    expect(await listener.status()).toBe(401)
    folder.write('web.yml', `basic_auth_users: {alice: "${HASH}"}`)
    expect(await listener.status()).toBe(200)
    expect(listener.log.lines.filter((line) => line.startsWith('info '))).toHaveLength(3)
  })

  test.each([
    ['nonsense', 'basic_auth_users: {alice: secret}', 'basic_auth_users.alice: expected a bcrypt hash'],
    ['half a file', 'basic_auth_users: {ali', 'not valid YAML'],
    ['TLS', 'tls_server_config: {cert_file: no.pem, key_file: no.key}', 'cert_file: no.pem cannot be read'],
  ])('to %s refuses all but the open paths until it is corrected', async (_what, yaml, reason) => {
    await using listener = await start('')
    folder.write('web.yml', yaml)
    for (let request = 0; request < 3; request += 1) {
      const { status, text } = await get(`${listener.url}/metrics`, AUTHORIZATION)
      expect({ status, text }).toEqual({ status: 500, text: 'internal server error\n' })
    }
    expect(await listener.status('/-/healthy')).toBe(200)
    expect(listener.log.lines).toEqual([expect.stringContaining(reason)])
    folder.write('web.yml', '')
    expect(await listener.status()).toBe(200)
    expect(listener.log.lines).toEqual([
      expect.stringMatching(/^error web configuration file is invalid, requests are refused/),
      expect.stringMatching(/^info web configuration file reloaded/),
    ])
  })

  test('that removes the file refuses requests, and each new reason is logged', async () => {
    await using listener = await start(`basic_auth_users: {alice: "${HASH}"}`)
    rmSync(join(folder.path, 'web.yml'))
    expect([await listener.status(), await listener.status()]).toEqual([500, 500])
    folder.write('web.yml', 'colour: red')
    expect(await listener.status()).toBe(500)
    expect(listener.log.lines).toEqual([
      expect.stringContaining('no such file'),
      expect.stringContaining('colour: unknown key'),
    ])
  })

  test('by a replaced symbolic link is detected, as in Kubernetes', async () => {
    const write = (version: string, hash: string) => {
      mkdirSync(join(folder.path, version))
      writeFileSync(join(folder.path, version, 'web.yml'), `basic_auth_users: {alice: "${hash}"}`)
      symlinkSync(version, join(folder.path, 'next'))
      renameSync(join(folder.path, 'next'), join(folder.path, 'current'))
    }
    write('v1', HASH)
    const webConfigFile = join(folder.path, 'current/web.yml')
    await using listener = await startListener({ webConfigFile, limits })
    const status = async () => (await get(`${listener.url}/metrics`, AUTHORIZATION)).status
    expect(await status()).toBe(200)
    write('v2', OTHER_HASH)
    expect(await status()).toBe(401)
  })

  test('is checked at most once per interval', () => {
    const clock = { ms: 0 }
    const path = folder.write('web.yml', '')
    const web = openWebConfig(path, 1000, recordLog(), () => clock.ms)
    folder.write('web.yml', `basic_auth_users: {alice: "${HASH}"}`)
    clock.ms = 999
    expect(web().file.users.size).toBe(0)
    clock.ms = 1000
    expect(web().file.users.size).toBe(1)
    rmSync(path)
    clock.ms = 1999
    expect(web().isInvalid).toBe(false)
    clock.ms = 2000
    expect(web()).toMatchObject({ isInvalid: true, file: { users: new Map([['alice', expect.anything()]]) } })
  })
})
