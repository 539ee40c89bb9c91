import { join } from 'node:path'
import { temporaryFolder } from '../folders.ts'
import { get } from '../http.ts'
import { freePort } from '../ports.ts'
import { startProcess } from '../processes.ts'
import { toolPath } from '../tools.ts'
import { waitFor } from '../wait.ts'
import { type Prometheus, queriesOf } from './prometheus.ts'

/** A store that receives remote write, with the query API of Prometheus. */
export interface VictoriaMetrics extends Pick<Prometheus, 'query' | 'waitForSamples'>, AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  /** For `remote_write` of Prometheus. */
  readonly writeUrl: string
  log(): string
}

/** Starts VictoriaMetrics on a free port and waits until it answers. @param program its path */
export async function startVictoriaMetrics(
  flags: readonly string[] = [],
  program = toolPath('victoria-metrics'),
): Promise<VictoriaMetrics> {
  const folder = temporaryFolder()
  const address = `127.0.0.1:${await freePort()}`
  const child = await startProcess(program, [
    `-storageDataPath=${join(folder.path, 'data')}`,
    `-httpListenAddr=${address}`,
    // Queries see samples at once, instead of after 30 s.
    '-search.latencyOffset=0s',
    '-search.disableCache',
    '-memory.allowedBytes=100MB',
    ...flags,
  ])
  const url = `http://${address}`
  const dispose = async () => {
    await child.stop()
    folder[Symbol.dispose]()
  }
  try {
    await waitFor(async () => (await get(`${url}/health`)).status === 200, {
      what: `${url}/health`,
      detail: child.stderr,
    })
  } catch (failure) {
    await dispose()
    throw failure
  }
  return {
    url,
    writeUrl: `${url}/api/v1/write`,
    ...queriesOf(url, child.stderr),
    log: child.stderr,
    [Symbol.asyncDispose]: dispose,
  }
}
