import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { createLookup, type Lookup } from '../../../src/api/http/connector.ts'

type Addresses = Awaited<ReturnType<Lookup>>

const never = () => new AbortController().signal
const at = (address: string) => [{ address, family: 4 }]

/** Sources whose lookups end when the test ends them. */
function setup({ answered = () => true }: { answered?: (name: string) => boolean } = {}) {
  const running = new Map<string, PromiseWithResolvers<Addresses>>()
  const started: string[] = []
  const lookup = createLookup({
    isAnswered: async (name) => answered(name),
    addresses: (name) => {
      started.push(name)
      const pending = Promise.withResolvers<Addresses>()
      running.set(name, pending)
      return pending.promise
    },
  })
  return {
    lookup,
    started,
    async end(name: string, address: string) {
      running.get(name)?.resolve(at(address))
      await turn()
    },
    async fail(name: string, code: string) {
      running.get(name)?.reject(Object.assign(new Error(code), { code }))
      await turn()
    },
  }
}

describe('a lookup', () => {
  test('is shared by all that wait for the name', async () => {
    const { lookup, started, end } = setup()
    const waiting = [lookup('a', never()), lookup('a', never())]
    await turn()
    await end('a', '192.0.2.1')
    expect(await Promise.all(waiting)).toEqual([at('192.0.2.1'), at('192.0.2.1')])
    expect(started).toEqual(['a'])
    void lookup('a', never())
    await turn()
    expect(started).toEqual(['a', 'a'])
  })

  test('is not started again while it hangs, and its waiters leave', async () => {
    const { lookup, started } = setup()
    for (let poll = 0; poll < 3; poll += 1) {
      const controller = new AbortController()
      const waiting = lookup('a', controller.signal)
      await turn()
      controller.abort(new DOMException('late', 'TimeoutError'))
      await expect(waiting).rejects.toMatchObject({ reason: 'timeout' })
    }
    expect(started).toEqual(['a'])
  })

  test('does not wait for names whose name servers do not answer', async () => {
    const { lookup, started, end } = setup({ answered: (name) => name === 'good' })
    for (let index = 0; index < 49; index += 1)
      void lookup(`hanging-${index}`, never()).catch(() => undefined)
    const good = lookup('good', never())
    await turn()
    expect(started.toSorted()).toEqual(['good', 'hanging-0'])
    await end('good', '192.0.2.1')
    expect(await good).toEqual(at('192.0.2.1'))
    await end('hanging-0', '192.0.2.2')
    expect(started.at(-1)).toBe('hanging-1')
  })

  test('gives the last addresses while a new one hangs, or after name servers that fail, until the name is gone', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const { lookup, end, fail } = setup()
      const first = lookup('a', never())
      await turn()
      await end('a', '192.0.2.1')
      await first

      const second = lookup('a', never())
      await turn()
      await vi.advanceTimersByTimeAsync(1000)
      expect(await second).toEqual(at('192.0.2.1'))
      await fail('a', 'EAI_AGAIN')

      const third = lookup('a', never())
      await turn()
      await fail('a', 'EAI_AGAIN')
      expect(await third).toEqual(at('192.0.2.1'))

      const fourth = lookup('a', never())
      await turn()
      await Promise.all([fail('a', 'ENOTFOUND'), expect(fourth).rejects.toMatchObject({ code: 'ENOTFOUND' })])
    } finally {
      vi.useRealTimers()
    }
  })

  test('gives the address of a name in the hosts file', async () => {
    const addresses = await createLookup()('localhost', never())
    expect(addresses.map(({ address }) => address)).toContain('127.0.0.1')
  })
})
