import { expect, test } from 'vitest'
import { atOnce, eachInSteps, inSlices, type Steps } from '../src/slices.ts'

const STEP_MS = 2
const STEPS = 10

/** Each step takes longer than a slice. */
function* computation(done: () => void): Steps<string> {
  for (let count = 0; count < STEPS; count += 1) {
    takeTime(STEP_MS)
    done()
    yield
  }
  return 'result'
}

function takeTime(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('other tasks run between the slices of a computation', async () => {
  let [steps, isOver] = [0, false]
  const stepsAtTurns = new Set<number>()
  const otherTask = () => {
    stepsAtTurns.add(steps)
    if (!isOver) setImmediate(otherTask)
  }
  setImmediate(otherTask)
  expect(
    await inSlices(
      computation(() => {
        steps += 1
      }),
    ),
  ).toBe('result')
  isOver = true
  expect(stepsAtTurns.size).toBeGreaterThanOrEqual(STEPS)
})

test('a computation waits while other tasks are due, and goes on although they never end', async () => {
  let [turns, isOver] = [0, false]
  const otherTask = () => {
    turns += 1
    takeTime(1)
    if (!isOver) setImmediate(otherTask)
  }
  setImmediate(otherTask)
  expect(await inSlices(computation(() => undefined))).toBe('result')
  isOver = true
  // Without waiting it would be one turn for each step.
  expect(turns).toBeGreaterThan(2 * STEPS)
})

test('a computation ends with the reason of its signal', async () => {
  const abort = new AbortController()
  const ended = inSlices(
    computation(() => abort.abort(new Error('stopped'))),
    abort.signal,
  )
  await expect(ended).rejects.toThrow('stopped')
})

test('of many items all are used, and other tasks may run after each 200 of them', () => {
  const used: number[] = []
  const steps = eachInSteps(
    Array.from({ length: 450 }, (_, index) => index),
    (item) => used.push(item),
  )
  const counts: number[] = []
  while (steps.next().done !== true) counts.push(used.length)
  expect(counts).toEqual([200, 400])
  expect(used).toEqual(Array.from({ length: 450 }, (_, index) => index))
})

test('a computation without interruption has the same result', () => {
  expect(atOnce(computation(() => undefined))).toBe('result')
})
