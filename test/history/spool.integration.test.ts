import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openSpool, type Spool } from '../../src/history/output/spool.ts'
import { temporaryFolder } from '../support/folders.ts'

const FREE = 'sds_node_disk_space_total_bytes'
const CPU = 'sds_node_cpu_utilization_ratio'
const one = (family: string, node: string, t: number, value: number) => {
  return { family, labels: { node }, times: [t], values: [value] }
}

async function textOf(spool: Spool): Promise<string> {
  let text = ''
  for await (const piece of spool.text()) text += piece
  return text
}

const samplesOf = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))

describe('a spool', () => {
  test('orders by family and series what was added in the order of time', async () => {
    using folder = temporaryFolder()
    const spool = await openSpool(join(folder.path, 'spool'))
    expect(spool.isEmpty).toBe(true)
    spool.add([one(CPU, 'a', 1, 0.5)])
    spool.add([one(FREE, 'a', 1, 10)])
    spool.add([one(FREE, 'b', 1, 20)])
    await spool.save()
    spool.add([one(FREE, 'a', 2, 11)])
    spool.add([one(CPU, 'a', 2, 0.25)])
    const text = await textOf(spool)
    expect(samplesOf(text)).toEqual([
      `${FREE}{node="a"} 10 1`,
      `${FREE}{node="a"} 11 2`,
      `${FREE}{node="b"} 20 1`,
      `${CPU}{node="a"} 0.5 1`,
      `${CPU}{node="a"} 0.25 2`,
    ])
    expect(text.match(/^# TYPE .*$/gm)).toEqual([`# TYPE ${FREE} gauge`, `# TYPE ${CPU} gauge`])
    expect(text.endsWith('\n# EOF\n')).toBe(true)
    await spool.remove()
    expect(existsSync(join(folder.path, 'spool'))).toBe(false)
  })

  test('continues after what was saved, without the rest of an interrupted save', async () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'spool')
    const first = await openSpool(path)
    first.add([one(FREE, 'a', 1, 10)])
    const saved = await first.save()
    const [file = ''] = readdirSync(path)
    appendFileSync(join(path, file), `${FREE}{node="a"} 11 2\n${FREE}{no`)
    writeFileSync(join(path, '1.om'), 'a new series of the interrupted save\n')
    const second = await openSpool(path, saved)
    second.add([one(FREE, 'b', 2, 20)])
    second.add([one(FREE, 'a', 2, 11)])
    await second.save()
    expect(samplesOf(await textOf(second))).toEqual([
      `${FREE}{node="a"} 10 1`,
      `${FREE}{node="a"} 11 2`,
      `${FREE}{node="b"} 20 2`,
    ])
  })

  test('keeps what it could not save, and saves it with the next call', async () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'spool')
    const spool = await openSpool(path)
    spool.add([one(FREE, 'a', 1, 10), one(FREE, 'b', 1, 20)])
    const obstacle = join(path, '0.om')
    mkdirSync(obstacle, { recursive: true })
    await expect(spool.save()).rejects.toThrow('EISDIR')
    rmSync(obstacle, { recursive: true })
    const again = await openSpool(path, await spool.save())
    expect(samplesOf(await textOf(again))).toEqual([`${FREE}{node="a"} 10 1`, `${FREE}{node="b"} 20 1`])
  })

  test('refuses saved files that are shorter than they were', async () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'spool')
    const first = await openSpool(path)
    first.add([one(FREE, 'a', 1, 10)])
    const saved = await first.save()
    truncateSync(join(path, '0.om'), 5)
    await expect(openSpool(path, saved)).rejects.toThrow(`${join(path, '0.om')} is damaged`)
  })

  test('sorts the lines of each series by time on demand', async () => {
    using folder = temporaryFolder()
    const spool = await openSpool(join(folder.path, 'spool'))
    for (const t of [1, 3, 2]) spool.add([one(FREE, 'a', t, t)])
    let text = ''
    for await (const piece of spool.text(false)) text += piece
    expect(samplesOf(text)).toEqual([1, 2, 3].map((t) => `${FREE}{node="a"} ${t} ${t}`))
  })

  test('leaves the permissions of its folder', async () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'spool')
    mkdirSync(path, { mode: 0o700 })
    const spool = await openSpool(path)
    spool.add([one(FREE, 'a', 1, 10)])
    await spool.save()
    expect(statSync(path).mode & 0o777).toBe(0o700)
  })

  test('is full when it holds many lines, until it is saved', async () => {
    using folder = temporaryFolder()
    const spool = await openSpool(join(folder.path, 'spool'))
    const times = Array.from({ length: 100_000 }, (_, index) => index)
    const add = (node: string) => spool.add([{ family: FREE, labels: { node }, times, values: times }])
    add('a')
    expect(spool.isFull).toBe(false)
    for (const node of ['b', 'c', 'd', 'e', 'f', 'g', 'h']) add(node)
    expect(spool.isFull).toBe(true)
    await spool.save()
    expect(spool.isFull).toBe(false)
  })
})
