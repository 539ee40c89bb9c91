import { expect, test, vi } from 'vitest'
import { decodeFeed } from '../../../src/api/feed/feed.ts'
import { collectGarbage } from '../../support/garbage.ts'

const WAIT = { timeout: 20_000 }

/** Why a body was refused, and whether the body is still in memory. */
function refused(): { readonly failure: unknown; readonly body: WeakRef<object> } {
  const body = { _embedded: {} }
  try {
    return { failure: decodeFeed(body), body: new WeakRef(body) }
  } catch (failure) {
    return { failure, body: new WeakRef(body) }
  }
}

test('a failure does not keep the body in memory', async () => {
  const { failure, body } = refused()
  await vi.waitFor(() => {
    collectGarbage()
    // The message of an assertion about the body would keep it.
    expect(body.deref() === undefined).toBe(true)
  }, WAIT)
  expect(failure).toMatchObject({ reason: 'schema' })
})
