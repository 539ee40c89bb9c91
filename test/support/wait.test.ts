import { expect, test } from 'vitest'
import { waitFor, waitForAssertion } from './wait.ts'

test('returns the first truthy value', async () => {
  const answers: (string | undefined)[] = [undefined, '', 'there', 'too late']
  const value = await waitFor(() => answers.shift(), { what: 'an answer', interval: 1 })
  expect(value).toBe('there')
  expect(answers).toEqual(['too late'])
})

test('ignores errors before the timeout', async () => {
  let checks = 0
  const condition = () => {
    checks += 1
    if (checks < 3) throw new Error('not up')
    return checks
  }
  expect(await waitFor(condition, { what: 'a server', interval: 1 })).toBe(3)
})

test('the timeout error has the condition, the last error and the detail', async () => {
  const condition = () => {
    throw new Error('refused')
  }
  const waiting = { what: 'a response', timeout: 20, interval: 1, detail: () => 'log: nothing' }
  await expect(waitFor(condition, waiting)).rejects.toThrow(
    'waited 0.02 s for a response; last error: refused\nlog: nothing',
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
