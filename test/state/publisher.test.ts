import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Part } from '../../src/metrics/lines.ts'
import { createPublisher } from '../../src/state/store.ts'
import { feedParts } from '../metrics/reading.ts'
import { collectGarbage } from '../support/garbage.ts'

const MINUTE_MS = 60_000

/**
 * A publisher of one part that counts how often an exposition is made of its lines.
 * @param readingMs how long the lines of each family take
 */
function countingPublisher(readingMs = 0) {
  const [part] = feedParts(1)
  if (part === undefined) throw new Error('a part is required')
  let made = 0
  let nowMs = 0
  const counting = (): Part => ({
    ...part,
    get content() {
      made += 1
      const endMs = performance.now() + readingMs
      while (performance.now() < endMs);
      return part.content
    },
  })
  const reads = async (task: () => Promise<unknown>): Promise<boolean> => {
    const before = made
    await task()
    return made > before
  }
  let isNew = true
  let last: readonly Part[] = []
  const publisher = createPublisher(
    () => {
      if (isNew) last = [counting()]
      return last
    },
    { made: () => undefined },
    () => nowMs,
  )
  return {
    exposition: publisher.exposition,
    publish: publisher.publish,
    made: (): number => made,
    /** Whether the next expositions have another part. */
    renew: (isRenewed: boolean): void => {
      isNew = isRenewed
    },
    /** Whether the new exposition is prepared in a form. */
    isPrepared: () => reads(() => publisher.publish()),
    /** Whether a request waits until the exposition is made in its form. */
    isMadeFor: (form: Parameters<ReturnType<typeof publisher.exposition>['body']>[0]) =>
      reads(() => publisher.exposition().body(form)),
    passMinutes: (minutes: number): void => {
      nowMs += minutes * MINUTE_MS
    },
  }
}

test('an exposition is prepared in the forms that were requested in the last ten minutes', async () => {
  const { isPrepared, isMadeFor, passMinutes } = countingPublisher()
  expect(await isPrepared()).toBe(false)
  expect(await isMadeFor('gzip text')).toBe(true)
  for (let polls = 0; polls < 3; polls += 1) {
    passMinutes(3)
    expect(await isPrepared()).toBe(true)
  }
  expect(await isMadeFor('gzip text')).toBe(false)
  passMinutes(9)
  expect(await isPrepared()).toBe(true)
  passMinutes(1)
  expect(await isPrepared()).toBe(false)
  expect(await isMadeFor('gzip text')).toBe(true)
  expect(await isPrepared()).toBe(true)
})

test('a request for the exposition before the newest one counts, too', async () => {
  const { exposition, isPrepared } = countingPublisher()
  await isPrepared()
  const before = exposition()
  expect(await isPrepared()).toBe(false)
  await before.body('identity openmetrics')
  expect(await isPrepared()).toBe(true)
})

test('changes that follow one another are in one exposition, which takes long to make', async () => {
  const { exposition, publish, made, renew } = countingPublisher(0.5)
  await exposition().body('identity text')
  await publish()
  await exposition().body('identity text')
  await publish()
  renew(false)
  // It takes little time, because it is the last one.
  await publish()
  renew(true)
  const before = made()
  let last = publish()
  for (let changes = 0; changes < 40; changes += 1) {
    await setTimeout(5)
    last = publish()
  }
  expect(made()).toBe(before)
  await last
  await publish()
  expect(made()).toBeGreaterThan(before)
})

test('expositions that were replaced are garbage, whether or not the next one shares their text', async () => {
  const { exposition, publish, renew } = countingPublisher()
  const replaced: WeakRef<object>[] = []
  for (const isRenewed of [true, false, true, true]) {
    renew(isRenewed)
    await publish()
    await exposition().body('gzip text')
    replaced.push(new WeakRef(exposition()))
  }
  collectGarbage()
  expect(replaced.map((one) => one.deref() === undefined)).toEqual([true, true, true, false])
})
