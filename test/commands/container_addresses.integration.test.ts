import { describe, expect, test } from 'vitest'
import { readText } from '../repository/repository.ts'
import { get } from '../support/http.ts'
import { freePort } from '../support/ports.ts'
import { type Child, startProcess } from '../support/processes.ts'

/** Addresses that are valid on the machine, or in the container, of the program only. */
const OWN = /\b(localhost|127\.0\.0\.1|0\.0\.0\.0)\b|\[::1?\]/

/** Starts the program as in a container whose ports are published at an address. */
function start(externalAddress: string, ...args: string[]): Promise<Child> {
  return startProcess(process.execPath, ['src/main.ts', ...args], {
    env: { SDS_EXTERNAL_ADDRESS: externalAddress },
  })
}

const demo = (external: string, ...flags: string[]) =>
  start(external, 'demo', '--pools=1', '--nodes=1', ...flags)

test('the image says that a container does not know its address', () => {
  expect(readText('deploy/docker/Dockerfile')).toMatch(/^ENV SDS_EXTERNAL_ADDRESS=HOST:PORT$/m)
})

describe('in a container', () => {
  test('demo and its log print no address of the container, and its page links to none', async () => {
    const port = await freePort()
    const flags = [`--web.listen-address=:${port}`, '--admin.listen-address=127.0.0.1:0']
    await using child = await demo('HOST:PORT', ...flags)
    const [text] = await child.waitForOutput(/Emulated[\s\S]*Ctrl\+C/)
    expect(text).not.toMatch(OWN)
    expect(text).not.toContain('administration;')
    expect(text).toContain('http://HOST:PORT/metrics ')
    expect(text).toContain(`HOST:PORT is the address to which port ${port} of the container is published.`)
    await child.waitForOutput(/msg="?listening for provider administration/)
    expect(child.stderr()).toContain(`msg=listening address=:${port}`)
    expect(child.stderr()).not.toContain('url=')
    expect((await get(`http://127.0.0.1:${port}/`)).text).not.toContain('Administration</a>')
  })

  test('demo says that a loopback address cannot be reached', async () => {
    await using child = await demo('HOST:PORT', '--web.listen-address=127.0.0.1:0', '--admin.listen-address=')
    const [text] = await child.waitForOutput(/Emulated[\s\S]*Ctrl\+C/)
    expect(text).not.toMatch(OWN)
    expect(text).toContain('start it with --web.listen-address=:9438')
  })

  test.each([
    ['127.0.0.1:0', 'start it with --listen-address=:4443'],
    [':0', 'Emulated storage system: http://HOST:PORT\n'],
  ])('emulate with the address %s', async (address, words) => {
    await using child = await start(
      'HOST:PORT',
      'emulate',
      `--listen-address=${address}`,
      '--pools=1',
      '--nodes=1',
    )
    const [text] = await child.waitForOutput(/Emulated[\s\S]*Tokens/)
    expect(text).not.toMatch(OWN)
    expect(text).toContain(words)
  })
})
