import { expect, test } from 'vitest'
import { waitFor, waitForAssertion } from './wait.ts'

test('gives the first truthy value, whatever came before', async () => {
  const answers: (string | undefined)[] = [undefined, '', 'there', 'too late']
  const value = await waitFor(() => answers.shift(), { what: 'an answer', interval: 1 })
  expect(value).toBe('there')
  expect(answers).toEqual(['too late'])
})

test('takes an error for not yet', async () => {
  let looks = 0
  const condition = () => {
    looks += 1
    if (looks < 3) throw new Error('not up')
    return looks
  }
  expect(await waitFor(condition, { what: 'a server', interval: 1 })).toBe(3)
})

test('says at the deadline what was waited for, the last error and the detail', async () => {
  const condition = () => {
    throw new Error('refused')
  }
  const waiting = { what: 'the moon', timeout: 20, interval: 1, detail: () => 'log: nothing' }
  await expect(waitFor(condition, waiting)).rejects.toThrow(
    'waited 0.02 s for the moon; last error: refused\nlog: nothing',
  )
})

test('repeats an assertion until it holds', async () => {
  let looks = 0
  const assertion = async () => {
    looks += 1
    expect(looks).toBe(3)
  }
  await waitForAssertion(assertion, { interval: 1 })
  expect(looks).toBe(3)
  await expect(waitForAssertion(() => expect(1).toBe(2), { timeout: 5, interval: 1 })).rejects.toThrow(
    /an assertion to hold; last error: expected 1 to be 2/,
  )
})
