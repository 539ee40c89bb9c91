import { expect, test } from 'vitest'
import { NOW_SECONDS, nodesOf, seriesIn, startEmulator } from '../client.ts'

const DAY = 86_400
const RANGE = `dataType=historical&startTime=${NOW_SECONDS - 2 * DAY}&endTime=${NOW_SECONDS}&interval=3600`

async function timesWith(fault: string, attribute = 'nodeCpuUtilization'): Promise<number[]> {
  const emulator = await startEmulator({ faults: fault === '' ? [] : [fault] })
  const [node] = await nodesOf(emulator, RANGE)
  return seriesIn(node, attribute).map(({ t }) => t)
}

test('history-gaps removes the first seconds of every day', async () => {
  const all = await timesWith('')
  expect(all).toHaveLength(48)
  expect(await timesWith('history-gaps:7200')).toEqual(all.filter((t) => t % DAY >= 7200))
})

test('late-points hides the newest points', async () => {
  const all = await timesWith('')
  expect(await timesWith('late-points:7200')).toEqual(all.filter((t) => t <= NOW_SECONDS - 7200))
})

test('unordered-history reverses the points and repeats the first one', async () => {
  const all = await timesWith('')
  expect(await timesWith('unordered-history')).toEqual([...all.toReversed(), all[0]])
})

test('fixed-history serves the last five days, whatever is asked', async () => {
  const emulator = await startEmulator({ faults: ['fixed-history'] })
  const [asked] = await nodesOf(emulator, 'dataType=historical&startTime=0&endTime=7200&interval=60')
  const [unasked] = await nodesOf(emulator, 'dataType=historical')
  expect(seriesIn(asked, 'diskSpaceFree')).toEqual(seriesIn(unasked, 'diskSpaceFree'))
  expect(seriesIn(asked, 'diskSpaceFree')).toHaveLength(120)
})

test('no-history: the series of one attribute is a single 0 at the time of the response', async () => {
  const emulator = await startEmulator({ faults: ['no-history:diskSpaceTotal'] })
  const [node] = await nodesOf(emulator, RANGE)
  expect(seriesIn(node, 'diskSpaceTotal')).toEqual([{ t: NOW_SECONDS, value: 0 }])
  expect(seriesIn(node, 'diskSpaceFree')).toHaveLength(48)
})
