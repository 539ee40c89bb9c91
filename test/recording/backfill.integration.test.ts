import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Profile } from '../../src/emulator/protocol/profiles.ts'
import { startEmulator } from '../api/client_setup.ts'
import { temporaryFolder } from '../support/folders.ts'
import { run } from '../support/processes.ts'
import { capture, LIMITS, startReplay, systemAt } from './setup.ts'

/** The values of each series in the order of time. */
type Past = ReadonlyMap<string, readonly string[]>

/** The past of the hour before `to`, which a recording has. */
async function pastOf(url: string, to: Date): Promise<Past> {
  using folder = temporaryFolder()
  const config = folder.write('sds-exporter.yml', `systems: [${systemAt(url)}]\n${LIMITS}\n`)
  const output = `${folder.path}/past.om`
  const from = new Date(to.getTime() - 3_600_000)
  const range = [`--from=${from.toISOString()}`, `--to=${to.toISOString()}`, '--interval=5m']
  const args = [`--config.file=${config}`, ...range, `--output=${output}`]
  const { code, stderr } = await run(process.execPath, ['src/main.ts', 'backfill', ...args])
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) })
  const past = new Map<string, string[]>()
  for (const line of readFileSync(output, 'utf8').split('\n')) {
    const [, series = '', value = ''] = /^([^#].*) (\S+) \d+$/.exec(line) ?? []
    if (series !== '') past.set(series, [...(past.get(series) ?? []), value])
  }
  return past
}

/** Without the first and the last two, which are near the ends of the recorded hour. */
const inner = (values: readonly string[]): string => values.slice(2, -2).join()

/** The history of the others has a wrong range, or little. */
const PROFILES: readonly Profile[] = ['documented', 'modern']

test.each(PROFILES)(
  '%s: backfill of the recorded hour has the same series and values from a replay',
  async (profile) => {
    // One time for both, because a replay moves the points of its recording to now.
    const now = new Date(Math.floor(Date.now() / 300_000) * 300_000)
    const clock = () => now.getTime()
    await using emulator = await startEmulator({ profile, pools: 1, nodes: 2, clock })
    const recorded = await capture(systemAt(emulator.url), { keepsNames: true })
    await using replay = await startReplay(recorded.recording, { clock })
    const [ofSystem, ofReplay] = [await pastOf(emulator.url, now), await pastOf(replay.url, now)]
    expect([...ofReplay.keys()].toSorted()).toEqual([...ofSystem.keys()].toSorted())
    expect(ofReplay.size).toBeGreaterThan(40)
    const compared = [...ofReplay].filter(([, values]) => values.length > 8)
    expect(compared.length).toBeGreaterThan(20)
    for (const [series, values] of compared)
      expect(ofSystem.get(series)?.join(), series).toContain(inner(values))
  },
)
