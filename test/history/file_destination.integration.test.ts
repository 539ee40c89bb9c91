import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openFileDestination, type SpooledSeries } from '../../src/history/output/destination.ts'
import type { HistorySeries } from '../../src/history/series.ts'
import { temporaryFolder } from '../support/folders.ts'

const FREE = 'sds_node_disk_space_total_bytes'
const CPU = 'sds_node_cpu_utilization_ratio'
const one = (family: string, node: string, t: number, value: number) => {
  return { family, labels: { node }, times: [t], values: [value] }
}

const NEVER = new AbortController().signal

/** A destination in a folder, with what tests do to it. */
async function openIn(path: string, saved: readonly SpooledSeries[] = []) {
  const target = join(path, 'history.om')
  const spool = join(path, 'spool')
  const destination = await openFileDestination(target, spool, saved)
  return {
    target,
    spool,
    destination,
    add: (...series: HistorySeries[]) => destination.write(series, NEVER),
    async text(): Promise<string> {
      await destination.finish()
      return readFileSync(target, 'utf8')
    },
  }
}

const samplesOf = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))

describe('the file of a backfill', () => {
  test('has by family and series what was written in the order of time', async () => {
    using folder = temporaryFolder()
    const { destination, spool, add, text } = await openIn(folder.path)
    await add(one(CPU, 'a', 1, 0.5))
    await add(one(FREE, 'a', 1, 10))
    await add(one(FREE, 'b', 1, 20))
    await destination.save()
    await add(one(FREE, 'a', 2, 11))
    await add(one(CPU, 'a', 2, 0.25))
    const written = await text()
    expect(samplesOf(written)).toEqual([
      `${FREE}{node="a"} 10 1`,
      `${FREE}{node="a"} 11 2`,
      `${FREE}{node="b"} 20 1`,
      `${CPU}{node="a"} 0.5 1`,
      `${CPU}{node="a"} 0.25 2`,
    ])
    expect(written.match(/^# TYPE .*$/gm)).toEqual([`# TYPE ${FREE} gauge`, `# TYPE ${CPU} gauge`])
    expect(written.endsWith('\n# EOF\n')).toBe(true)
    await destination.discard()
    expect(existsSync(spool)).toBe(false)
  })

  test('continues after what was saved, without the rest of an interrupted save', async () => {
    using folder = temporaryFolder()
    const first = await openIn(folder.path)
    await first.add(one(FREE, 'a', 1, 10))
    const saved = await first.destination.save()
    const [file = ''] = readdirSync(first.spool)
    appendFileSync(join(first.spool, file), `${FREE}{node="a"} 11 2\n${FREE}{no`)
    writeFileSync(join(first.spool, '1.om'), 'a new series of the interrupted save\n')
    const second = await openIn(folder.path, saved)
    await second.add(one(FREE, 'b', 2, 20))
    await second.add(one(FREE, 'a', 2, 11))
    await second.destination.save()
    expect(samplesOf(await second.text())).toEqual([
      `${FREE}{node="a"} 10 1`,
      `${FREE}{node="a"} 11 2`,
      `${FREE}{node="b"} 20 2`,
    ])
  })

  test('has what could not be saved at first', async () => {
    using folder = temporaryFolder()
    const { destination, spool, add } = await openIn(folder.path)
    await add(one(FREE, 'a', 1, 10), one(FREE, 'b', 1, 20))
    const obstacle = join(spool, '0.om')
    mkdirSync(obstacle, { recursive: true })
    await expect(destination.save()).rejects.toThrow('EISDIR')
    rmSync(obstacle, { recursive: true })
    const { text } = await openIn(folder.path, await destination.save())
    expect(samplesOf(await text())).toEqual([`${FREE}{node="a"} 10 1`, `${FREE}{node="b"} 20 1`])
  })

  test('is not written from saved files that are shorter than they were', async () => {
    using folder = temporaryFolder()
    const { destination, spool, add } = await openIn(folder.path)
    await add(one(FREE, 'a', 1, 10))
    const saved = await destination.save()
    const file = join(spool, '0.om')
    truncateSync(file, 5)
    await expect(openIn(folder.path, saved)).rejects.toThrow(`${file} is damaged`)
  })

  test('leaves the permissions of the folder of its series', async () => {
    using folder = temporaryFolder()
    const { destination, spool, add } = await openIn(folder.path)
    mkdirSync(spool, { mode: 0o700 })
    await add(one(FREE, 'a', 1, 10))
    await destination.save()
    expect(statSync(spool).mode & 0o777).toBe(0o700)
  })

  test('is to be saved when many lines are in memory', async () => {
    using folder = temporaryFolder()
    const { destination, add } = await openIn(folder.path)
    const times = Array.from({ length: 100_000 }, (_, index) => index)
    const addTo = (node: string) => add({ family: FREE, labels: { node }, times, values: times })
    await addTo('a')
    expect(destination.isFull).toBe(false)
    for (const node of ['b', 'c', 'd', 'e', 'f', 'g', 'h']) await addTo(node)
    expect(destination.isFull).toBe(true)
    await destination.save()
    expect(destination.isFull).toBe(false)
  })
})
