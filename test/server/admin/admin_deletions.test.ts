import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { waitForAssertion } from '../../support/wait.ts'
import { openSocket, type RecordedLog, recordLog } from '../listener/listener_setup.ts'
import {
  type Admin,
  auditLines,
  LIST,
  providerIds,
  SECURITY,
  type StartedEmulator,
  startAdmin,
  startEmulator,
} from './admin_setup.ts'

let log: RecordedLog
let frankfurt: StartedEmulator
let paris: StartedEmulator
let admin: Admin
beforeEach(async () => {
  log = recordLog()
  frankfurt = await startEmulator()
  paris = await startEmulator({ seed: 'second' })
  const systems = { frankfurt: frankfurt.url, paris: paris.url }
  admin = await startAdmin({ systems, log, timeout: '60s' })
})
afterEach(async () => {
  await Promise.all([frankfurt.stop(), paris.stop()])
  await admin[Symbol.asyncDispose]()
})

const outcomes = () => auditLines(log).map(({ system, outcome }) => `${system} ${outcome}`)

const pathOf = (system: string, id: string) => `/systems/${system}${LIST}/${id}`

/** Sends a deletion and returns its connection, once the listener has read it: otherwise it may not be served. */
async function sendDeletion(system: string, id: string) {
  const { port, host } = new URL(admin.url)
  const socket = await openSocket(Number(port))
  const headers = [`Host: ${host}`, `X-SDS-AUTH-TOKEN: ${SECURITY}`, 'Expect: 100-continue']
  socket.write(`DELETE ${pathOf(system, id)} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1\.1 100 /)
  return socket
}

describe('a deletion that hangs', () => {
  test('at one system does not delay those of another', async () => {
    const [hanging = ''] = await providerIds(frankfurt)
    const [id = ''] = await providerIds(paris)
    frankfurt.setFaults(['half-open@delete'])
    const socket = await sendDeletion('frankfurt', hanging)
    await waitForAssertion(() => expect(frankfurt.log.count('delete')).toBe(1))
    expect((await admin.ask('DELETE', pathOf('paris', id), SECURITY)).status).toBe(200)
    expect(outcomes()).toEqual(['paris deleted'])
    socket.destroy()
  })

  test('that its caller abandons is audited as deleted when the system has deleted the provider', async () => {
    const [id = ''] = await providerIds(frankfurt)
    frankfurt.setFaults(['slow-headers:1@delete'])
    const socket = await sendDeletion('frankfurt', id)
    await waitForAssertion(() => expect(frankfurt.log.count('delete')).toBe(1))
    socket.destroy()
    await waitForAssertion(() => expect(outcomes().at(-1)).toEqual('frankfurt deleted'))
  })
})

describe('a deletion abandoned before it is sent', () => {
  test('while the provider is looked up is not sent', async () => {
    const [id = ''] = await providerIds(frankfurt)
    frankfurt.setFaults(['half-open@whoami'])
    const socket = await sendDeletion('frankfurt', id)
    await waitForAssertion(() => expect(frankfurt.log.count('whoami')).toBe(1))
    socket.destroy()
    await waitForAssertion(() => expect(outcomes()).toEqual(['frankfurt abandoned']))
    expect(frankfurt.log.count('delete')).toBe(0)
  })

  test('while others use all permits of the system is not sent', async () => {
    const ids = await providerIds(frankfurt)
    frankfurt.setFaults(['half-open@delete'])
    // limits.concurrency is 4: the fifth waits.
    for (const [index, id] of ids.entries()) {
      await sendDeletion('frankfurt', id)
      await waitForAssertion(() => expect(frankfurt.log.count('delete')).toBe(index + 1))
    }
    const before = outcomes()
    const fifth = await sendDeletion('frankfurt', 'urn:fifth:')
    fifth.end()
    await waitForAssertion(() => expect(outcomes().slice(before.length)).toEqual(['frankfurt abandoned']))
    expect(frankfurt.log.count('delete')).toBe(4)
  })
})

describe('a deletion whose provider cannot be looked up', () => {
  test('because the system does not respond is not sent', async () => {
    const [id = ''] = await providerIds(frankfurt)
    frankfurt.setFaults(['reset@providers'])
    expect((await admin.ask('DELETE', pathOf('frankfurt', id), SECURITY)).status).toBe(502)
    expect(frankfurt.log.count('delete')).toBe(0)
    expect(outcomes()).toEqual(['frankfurt failed'])
  })

  test('because the account may not list is sent', async () => {
    const [id = ''] = await providerIds(frankfurt)
    frankfurt.setFaults(['status:403@providers'])
    expect((await admin.ask('DELETE', pathOf('frankfurt', id), SECURITY)).status).toBe(200)
    expect(outcomes().at(-1)).toEqual('frankfurt deleted')
  })
})
