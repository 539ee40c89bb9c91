import { describe, expect, test } from 'vitest'
import { ApiError } from '../../src/api/errors/errors.ts'
import { REASONS, type Reason } from '../../src/api/errors/reasons.ts'
import { createBackoff } from '../../src/poller/backoff.ts'

const bad = (reason: Reason = 'timeout', retryAfterMs?: number) =>
  new ApiError(reason, 'bad', retryAfterMs === undefined ? {} : { retryAfterMs })
const OF_THE_SYSTEM: readonly Reason[] = [
  'timeout',
  'connect',
  'dns',
  'tls',
  'reset',
  'redirect',
  'forbidden',
  'throttled',
  'unavailable',
  'server_error',
  'html',
]

/** A backoff and its clock. */
function plant() {
  let now = 0
  const backoff = createBackoff(() => now)
  const pass = (seconds: number) => {
    now += seconds * 1000
    return backoff.allowed()
  }
  return { ...backoff, pass }
}

describe('backoff', () => {
  test('a system that keeps failing is asked less often, up to every five minutes', () => {
    const { note, allowed, pass } = plant()
    const pauses: number[] = []
    for (let round = 0; round < 8; round += 1) {
      expect(allowed()).toBe(round === 0 ? 'all' : 'one')
      note([bad(), bad()])
      let waited = 0
      while (allowed() === 'none') {
        waited += 1
        pass(1)
      }
      pauses.push(waited)
    }
    expect(pauses).toEqual([14, 27, 54, 108, 216, 270, 270, 270])
  })

  test('one good pool ends it at once', () => {
    const { note, allowed, pass, failures } = plant()
    note([bad()])
    note([bad()])
    expect(failures()).toBe(2)
    pass(60)
    note([bad(), undefined])
    expect([allowed(), failures()]).toEqual(['all', 0])
  })

  test('the pause that the system asks for counts where it is longer', () => {
    const { note, allowed, pass } = plant()
    note([bad('throttled', 100_000), bad('throttled', 1000)])
    expect(pass(99)).toBe('none')
    expect(pass(2)).toBe('one')
    expect(allowed()).toBe('one')
    // A quarter of an hour would be longer than the values live.
    note([bad('throttled', 900_000)])
    expect(pass(119)).toBe('none')
    expect(pass(2)).toBe('one')
  })

  test.each(Object.keys(REASONS) as Reason[])('%s', (reason) => {
    const { note, allowed } = plant()
    note([bad(reason)])
    expect(allowed()).toBe(OF_THE_SYSTEM.includes(reason) ? 'none' : 'all')
  })

  test('a round in which nobody was asked changes nothing', () => {
    const { note, allowed } = plant()
    note([])
    expect(allowed()).toBe('all')
    note([bad()])
    note([])
    expect(allowed()).toBe('none')
  })
})
