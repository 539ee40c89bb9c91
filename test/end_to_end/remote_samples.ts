import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startEmulator } from '../api/client_setup.ts'
import { type Folder, temporaryFolder } from '../support/folders.ts'
import { getJson } from '../support/http.ts'
import { run } from '../support/processes.ts'

const HOURS = 6
const SECONDS_PER_HOUR = 3600

/** Runs the command for a system at a URL; times are in seconds since the epoch. */
function backfillOf(url: string, folder: Folder) {
  const auth = 'auth: {username: monitor, password: emulator}'
  const text = `systems: [{name: a, base_url: "${url}", ${auth}}]\nlimits: {requests_per_second: 1000}\n`
  const config = folder.write('sds-exporter.yml', text)
  return (from: number, to: number, ...flags: string[]) =>
    run(process.execPath, [
      'src/main.ts',
      'backfill',
      `--config.file=${config}`,
      `--from=${from}`,
      `--to=${to}`,
      ...flags,
    ])
}

/** Sends six hours with remote write, twice, and writes the same range to a file. @param flags of the receiver */
export async function send(url: string, ...flags: string[]) {
  using folder = temporaryFolder()
  await using emulator = await startEmulator({ pools: 2, nodes: 1 })
  const to = Math.floor(Date.now() / 1000 / SECONDS_PER_HOUR) * SECONDS_PER_HOUR
  const from = to - HOURS * SECONDS_PER_HOUR
  const backfill = backfillOf(emulator.url, folder)
  const journal = join(folder.path, 'journal')
  const sending = [`--remote-write.url=${url}`, `--journal=${journal}`, ...flags]
  expect(await backfill(from, to, ...sending)).toMatchObject({ code: 0 })
  expect(await backfill(from, to, ...sending)).toMatchObject({ code: 0 })
  expect(await backfill(from, to, ...sending, '--resume')).toMatchObject({
    stderr: expect.stringContaining('nothing to add'),
  })
  const file = join(folder.path, 'history.om')
  expect(await backfill(from, to, `--output=${file}`)).toMatchObject({ code: 0 })
  return { from, to, samples: samplesIn(readFileSync(file, 'utf8')) }
}

export type Samples = ReadonlyMap<string, readonly (readonly [number, number])[]>

/** By series, with labels in the order of their names. */
function samplesIn(text: string): Samples {
  const samples = new Map<string, [number, number][]>()
  for (const line of text.split('\n').filter((one) => one.startsWith('sds_'))) {
    const [, name = '', labels = '', value, t] = /^(\w+)\{(.*)\} (\S+) (\S+)$/.exec(line) ?? []
    const key = `${name}{${[...labels.matchAll(/\w+="[^"]*"/g)].map(String).toSorted().join(',')}}`
    samples.set(key, [...(samples.get(key) ?? []), [Number(t), Number(value)]])
  }
  return samples
}

/**
 * What differs, a line each: series, times, or values by more than a ten millionth. Rounded numbers would differ where a
 * value lies between two of them.
 */
export function differences(stored: Samples, expected: Samples): string[] {
  const RELATIVE_TOLERANCE = 1e-7
  return [...new Set([...stored.keys(), ...expected.keys()])].flatMap((series) => {
    const found = stored.get(series) ?? []
    const wanted = expected.get(series) ?? []
    if (found.length !== wanted.length) {
      return [`${series}: ${String(found.length)} of ${String(wanted.length)} samples`]
    }
    return found.flatMap(([t, value], index) => {
      const [time, number] = wanted[index] ?? [NaN, NaN]
      const same = t === time && Math.abs(value - number) <= RELATIVE_TOLERANCE * Math.abs(number)
      return same
        ? []
        : [`${series}: ${String(value)} at ${String(t)}, not ${String(number)} at ${String(time)}`]
    })
  })
}

/**
 * What a server with the API of Prometheus has stored.
 * @param url of the server, with the path before `/api/v1`
 * @param headers such as that of a tenant
 */
export async function storedIn(
  url: string,
  from: number,
  to: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<Samples> {
  const query = new URLSearchParams({ query: `{__name__=~"sds_.+"}[${to - from}s]`, time: String(to - 1) })
  const { data } = (await getJson(`${url}/api/v1/query?${query}`, headers)) as {
    data: { result: { metric: Record<string, string>; values: [number, string][] }[] }
  }
  return new Map(
    data.result.map(({ metric: { __name__: name, ...labels }, values }) => {
      const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
      return [
        `${name}{${pairs.toSorted().join(',')}}`,
        values.map(([t, value]) => [t, Number(value)] as const),
      ]
    }),
  )
}
