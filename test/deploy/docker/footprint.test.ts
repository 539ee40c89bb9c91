import { readFileSync } from 'node:fs'
import { Agent, createServer, get as httpGet } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Folder, temporaryFolder } from '../../support/folders.ts'
import { get } from '../../support/http.ts'
import { run, startProcess } from '../../support/processes.ts'
import { copyCheckout, linkPackages, npm } from '../checkout.ts'

const MEBIBYTE = 1024 ** 2
/** Measured: 119. */
const MAX_IDLE_MEBIBYTES = 150
const MAX_LOADED_MEBIBYTES = 300
/** Measured after these: 179. */
const SCRAPES = 6000
const CONNECTIONS = 20
/** Of the CPU time and the memory of Node.js without a program. */
const MAX_FACTOR = 2
/** Other processes can only add to the CPU time of a run, so the smallest of several runs counts. */
const MAX_RUNS = 15

let folder: Folder
let main: string

beforeAll(async () => {
  folder = temporaryFolder()
  copyCheckout(folder.path, (path) => path.startsWith('src/') || !path.includes('/'))
  linkPackages(folder.path)
  await npm('run --silent build', folder.path)
  main = join(folder.path, 'dist/main.js')
}, 120_000)

afterAll(() => folder[Symbol.dispose]())

interface Usage {
  readonly cpuMicroseconds: number
  readonly residentKibibytes: number
}

/** Users start the program without it. */
const WITHOUT_CACHE = { env: { NODE_COMPILE_CACHE: undefined } }

/** Runs Node.js with a module that reports the resources of the process at its end. */
async function usageOf(args: readonly string[]): Promise<Usage> {
  const report = folder.write(
    'report.cjs',
    `process.on('exit', () => {
      const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
      const usage = { cpuMicroseconds: userCPUTime + systemCPUTime, residentKibibytes: maxRSS }
      require('node:fs').writeSync(2, 'usage ' + JSON.stringify(usage) + '\\n')
    })`,
  )
  const { code, stderr } = await run(process.execPath, ['--require', report, ...args], WITHOUT_CACHE)
  expect(code).toBe(0)
  return JSON.parse(/^usage (.*)$/m.exec(stderr)?.[1] ?? 'null')
}

/** Compares runs in pairs until the smallest ones are within the factor. */
async function factors(args: readonly string[]): Promise<{ cpu: number; memory: number }> {
  let own: Usage = { cpuMicroseconds: Infinity, residentKibibytes: Infinity }
  let bare = own
  let result = { cpu: Infinity, memory: Infinity }
  for (let runs = 0; runs < MAX_RUNS && !(result.cpu <= MAX_FACTOR); runs += 1) {
    own = smaller(own, await usageOf([main, ...args]))
    bare = smaller(bare, await usageOf(['--eval', '0']))
    result = {
      cpu: own.cpuMicroseconds / bare.cpuMicroseconds,
      memory: own.residentKibibytes / bare.residentKibibytes,
    }
  }
  return result
}

function smaller(a: Usage, b: Usage): Usage {
  return {
    cpuMicroseconds: Math.min(a.cpuMicroseconds, b.cpuMicroseconds),
    residentKibibytes: Math.min(a.residentKibibytes, b.residentKibibytes),
  }
}

describe('at most twice the CPU time and memory of Node.js are taken by', () => {
  test('--version', async () => {
    const { cpu, memory } = await factors(['--version'])
    expect(cpu).toBeLessThanOrEqual(MAX_FACTOR)
    expect(memory).toBeLessThanOrEqual(MAX_FACTOR)
  })

  test('health', async () => {
    const server = createServer((_, response) => response.end())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const { cpu, memory } = await factors(['health', `--web.listen-address=:${port}`])
    server.close()
    expect(cpu).toBeLessThanOrEqual(MAX_FACTOR)
    expect(memory).toBeLessThanOrEqual(MAX_FACTOR)
  })
})

test('memory of one system with 16 nodes, idle and under many scrapes', async () => {
  await using emulator = await startProcess(process.execPath, [
    ...[main, 'emulate', '--listen-address=127.0.0.1:0', '--pools=1', '--nodes=16'],
  ])
  const [, system] = await emulator.waitForOutput(/system: (http:\S+)/)
  const file = folder.write(
    'sds-exporter.yml',
    `systems: [{name: one, base_url: "${system}", auth: {username: monitor, password: emulator}}]\n`,
  )
  const flags = ['--web.listen-address=127.0.0.1:0', '--admin.listen-address=127.0.0.1:0']
  const command = [main, 'serve', `--config.file=${file}`, ...flags]
  await using exporter = await startProcess(process.execPath, command, WITHOUT_CACHE)
  const [, url = ''] = await exporter.waitForOutput(/msg=listening.* url=(\S+)/)
  await expect
    .poll(async () => (await get(`${url}/metrics`)).text, { timeout: 60_000 })
    .toMatch(/^sds_pool_up\{.*\} 1$/m)
  // Garbage of the start and of the requests above is collected some time later.
  await expect.poll(() => residentMebibytes(exporter.pid)).toBeLessThanOrEqual(MAX_IDLE_MEBIBYTES)
  await scrapeOften(`${url}/metrics`)
  expect(residentMebibytes(exporter.pid)).toBeLessThanOrEqual(MAX_LOADED_MEBIBYTES)
}, 240_000)

function residentMebibytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024) / MEBIBYTE
}

/** Scrapes with compression, as Prometheus does, over several connections that stay open. */
async function scrapeOften(url: string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  let left = SCRAPES
  const scrape = () =>
    new Promise<void>((resolve, reject) => {
      const outgoing = httpGet(url, { agent, headers: { 'accept-encoding': 'gzip' } }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`scrape was answered ${response.statusCode}`))
        response.resume().once('end', resolve)
      })
      outgoing.once('error', reject)
    })
  const client = async () => {
    while (left-- > 0) await scrape()
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, client))
  agent.destroy()
}
