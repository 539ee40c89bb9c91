import { describe, expect, test } from 'vitest'
import { measureRow, pollsOf } from '../../scripts/attack/harness.ts'
import { type Program, startProgram } from '../../scripts/attack/processes.ts'
import { request } from '../../scripts/attack/requests.ts'
import type { Row, Target } from '../../scripts/attack/row.ts'
import { ROWS } from '../../scripts/attack/rows/rows.ts'
import { resultCells, withTable } from '../../scripts/attack/table.ts'
import { startSystems, startTarget } from '../../scripts/attack/target.ts'
import { judge, type Limits, type Measured } from '../../scripts/attack/verdict.ts'
import { type Folder, temporaryFolder } from '../support/folders.ts'
import { run } from '../support/processes.ts'
import { waitFor } from '../support/wait.ts'

const LIMITS: Limits = { healthMs: 250, scrapeMs: 5000, memoryMib: 512, logBytes: 1_000_000, stopMs: 5000 }
const MARGINS = { warmUpMs: 200, settleMs: 200 }
/** Held even by a loaded machine. */
const GENEROUS: Limits = {
  healthMs: 60_000,
  scrapeMs: 60_000,
  memoryMib: 4096,
  logBytes: 1_000_000,
  stopMs: 60_000,
}

const served = { answers: 10, longestMs: 100, problems: [] }
const good: Measured = {
  health: served,
  scrapes: served,
  delayMs: 1,
  end: undefined,
  memoryMib: 100,
  socketMib: 1,
  cpuSeconds: 1,
  logBytes: 0,
  polls: { ok: 4, failed: 0 },
  stopped: { end: 'ended with code 0', ms: 100 },
  problems: [],
}

describe('the verdict', () => {
  test('names each limit that was exceeded', () => {
    expect(judge(good, LIMITS)).toEqual([])
    const cases: readonly (readonly [Partial<Measured>, string])[] = [
      [{ end: 'ended by SIGABRT' }, 'the process ended by SIGABRT'],
      [{ health: { ...served, longestMs: 251 } }, '/-/healthy took 251 ms'],
      [{ health: { ...served, problems: ['status 503'] } }, '1 requests of /-/healthy failed (status 503)'],
      [{ scrapes: { ...served, answers: 0 } }, 'no answer of /metrics'],
      [{ memoryMib: 512 }, 'memory 513 MiB'],
      [{ socketMib: 412 }, 'memory 512 MiB'],
      [{ logBytes: 1_000_000 }, '1000000 bytes of log'],
      [{ polls: undefined }, 'the polls could not be read'],
      [{ polls: { ok: 0, failed: 0 } }, 'no poll of the other system succeeded'],
      [{ polls: { ok: 4, failed: 2 } }, '2 polls of the other system failed'],
      [{ stopped: { end: 'ended by SIGKILL', ms: 100 } }, 'after SIGTERM the process ended by SIGKILL'],
      [{ stopped: { ...good.stopped, ms: 5100 } }, 'it ended 5.1 s after SIGTERM'],
      [{ problems: ['a wrong password was accepted'] }, 'a wrong password was accepted'],
    ]
    for (const [changed, problem] of cases) {
      const problems = judge({ ...good, ...changed }, LIMITS)
      expect(problems).toHaveLength(1)
      expect(problems[0]).toContain(problem)
    }
  })
})

describe('the harness', () => {
  const row = (path?: string): Row => ({
    name: 'test',
    sent: 'one request',
    seconds: 1,
    async attack({ url }) {
      if (path !== undefined) await request(`${url}${path}`, { timeoutMs: 60_000 }).catch(() => undefined)
      return { note: 'sent' }
    },
  })

  async function problemsOf(attack: Row, limits: Limits): Promise<string[]> {
    using folder = temporaryFolder()
    const { measured, note } = await measureRow(attack, () => startStub(folder), MARGINS)
    expect(note).toBe('sent')
    expect(measured.memoryMib).toBeGreaterThan(10)
    return judge(measured, limits)
  }

  test('accepts a process that answers', async () => {
    expect(await problemsOf(row(), GENEROUS)).toEqual([])
  })

  test('reports a process that does not answer for two seconds', async () => {
    const problems = await problemsOf(row('/block'), { ...GENEROUS, healthMs: 1000 })
    expect(problems).toContainEqual(expect.stringMatching(/^\/-\/healthy took \d{4,} ms$/))
  })

  test('reports a process that ended', async () => {
    expect(await problemsOf(row('/end'), GENEROUS)).toContain('the process ended with code 3')
  })

  test('reports a failed poll of the steady system', async () => {
    expect(await problemsOf(row('/fail'), GENEROUS)).toEqual(['1 polls of the other system failed'])
  })

  test('reports an attack that throws', async () => {
    const attack = () => Promise.reject(new Error('no connection'))
    using folder = temporaryFolder()
    const { measured } = await measureRow({ ...row(), attack }, () => startStub(folder), MARGINS)
    expect(judge(measured, GENEROUS)).toEqual(['the attack failed: no connection'])
  })

  test('measures the exporter', async () => {
    const systems = await startSystems()
    const [none] = ROWS
    if (none === undefined) throw new Error('there are no rows')
    try {
      const attack = async (target: Target) => {
        const polls = async () => (await pollsOf(target))?.ok ?? 0
        const before = await polls()
        await waitFor(async () => (await polls()) > before, { what: 'a poll of the steady system' })
        return undefined
      }
      const { measured } = await measureRow({ ...none, attack, seconds: 60 }, (setup) =>
        startTarget(setup, systems),
      )
      // On a loaded machine a poll may take longer than its timeout.
      const { polls = { ok: 0, failed: 0 } } = measured
      expect(judge({ ...measured, polls: { ...polls, failed: 0 } }, GENEROUS)).toEqual([])
      expect(measured.cpuSeconds).toBeGreaterThan(0)
    } finally {
      await systems.stop()
    }
  })
})

async function startStub(folder: Folder): Promise<Target> {
  const program: Program = startProgram(['test/scripts/stub_exporter.ts'], {
    outputFile: folder.write('stub.log', ''),
  })
  return {
    pid: program.pid,
    url: await program.find(/listening url=(\S+)/),
    adminUrl: '',
    headers: {},
    hostile() {
      throw new Error('the stub has no hostile system')
    },
    configFile: '',
    auditFile: undefined,
    log: program.output,
    logBytes: program.outputBytes,
    end: program.end,
    stop: program.stop,
  }
}

describe('the table', () => {
  const failed = {
    row: { name: 'flood', sent: 'requests' },
    measured: good,
    note: 'many',
    problems: ['slow'],
  }

  test('has the verdict and the exceeded limits', () => {
    expect(resultCells({ ...failed, problems: [] }).at(-1)).toBe('ok (many)')
    expect(resultCells(failed).at(-1)).toBe('FAILED: slow (many)')
  })

  test('is written between the marks of a page', () => {
    const page = 'before\n<!-- attacks: begin -->\nold\n<!-- attacks: end -->\nafter\n'
    const written = withTable(page, [failed])
    expect(written).toMatch(/^before\n[\s\S]*\| `flood`: requests \| 100 ms [\s\S]*\nafter\n$/)
    expect(written).not.toContain('old')
    expect(withTable(written, [failed])).toBe(written)
  })
})

describe('the command', () => {
  const attack = (...args: string[]) => run(process.execPath, ['scripts/attack.ts', ...args])

  test('lists the attacks', async () => {
    const { code, stdout } = await attack('--help')
    expect(code).toBe(0)
    for (const { name } of ROWS) expect(stdout).toContain(`  ${name} `)
  })

  test.each([['--only=nothing'], ['--only=none', '--markdown=x.md']])('refuses %s', async (...args) => {
    expect((await attack(...args)).code).toBe(2)
  })

  test('has attacks with different names', () => {
    expect(new Set(ROWS.map(({ name }) => name)).size).toBe(ROWS.length)
  })
})
