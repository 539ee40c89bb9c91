import { describe, expect, test } from 'vitest'
import type { Reason } from '../../src/api/errors/reasons.ts'
import { monitored, startClient, startEmulator } from './client_setup.ts'
import { never } from './http/responses.ts'

/** A fault of a response, and the reason of the failure. */
const FAULTS: readonly (readonly [string, Reason])[] = [
  ['reset', 'reset'],
  ['half-open', 'timeout'],
  ['slow-body:0.3', 'timeout'],
  ['stall', 'timeout'],
  ['truncate:length', 'reset'],
  ['truncate:close', 'syntax'],
  ['garbage', 'reset'],
  ['big-headers', 'reset'],
  ['too-large:5', 'too_large'],
  ['endless', 'too_large'],
  ['gzip-bomb:50', 'too_large'],
  ['deep', 'too_large'],
  ['gzip-cut', 'encoding'],
  ['unknown-encoding:br', 'encoding'],
  ['bad-utf8', 'encoding'],
  ['html', 'html'],
  ['empty', 'syntax'],
  ['bad-values:nan-literal', 'syntax'],
  ['no-embedded', 'schema'],
  ['root:null', 'schema'],
  ['redirect-login', 'auth'],
  ['redirect-other', 'redirect'],
  ['status:401', 'auth'],
  ['status:403', 'forbidden'],
  ['status:500,code=6401,retryable=false', 'forbidden'],
  ['status:404', 'not_found'],
  ['status:400', 'client_error'],
  ['status:429', 'throttled'],
  ['status:503', 'unavailable'],
  ['status:500', 'server_error'],
  ['status:502,body=html', 'unavailable'],
  ['status:204', 'schema'],
]

/** Of these, no complete response came: the system may be down. All others show that it is up. */
const LOST: readonly Reason[] = ['reset', 'timeout']
/** After these, no login is sent for some time. */
const COOLING: readonly Reason[] = ['auth', 'forbidden']

describe('a request that fails', () => {
  test.concurrent.each(FAULTS)('with %s fails for the reason %s', async (fault, reason) => {
    await using emulator = await startEmulator({ nodes: 3 })
    const limits = 'limits: {requests_per_second: 1000, max_response_bytes: 2MiB}'
    // The test waits for requests that time out.
    const timeout = reason === 'timeout' ? '2s' : '30s'
    await using setup = startClient(monitored(emulator.url), `poll: {timeout: ${timeout}}\n${limits}`)
    const read = () => setup.client.nodes(emulator.pools[0]?.id ?? '', never())
    emulator.setFaults([`${fault}@nodes`])
    await expect(read()).rejects.toMatchObject({ reason })
    expect(setup.responded).toEqual([!LOST.includes(reason)])
    emulator.setFaults([])
    if (!COOLING.includes(reason)) expect((await read()).nodes).toHaveLength(3)
    await setup.client.close()
    expect(emulator.liveSessions('monitor')).toBe(0)
  })
})
