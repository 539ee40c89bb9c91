import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'
import { temporaryFolder } from '../folders.ts'
import { getJson } from '../http.ts'
import { type Finished, run, startProcess } from '../processes.ts'
import { toolPath } from '../tools.ts'
import { readyUrl } from './prometheus.ts'

type Labels = Readonly<Record<string, string>>

export interface ReceivedAlert {
  readonly labels: Labels
  readonly annotations: Labels
  readonly status: {
    readonly state: 'unprocessed' | 'active' | 'suppressed'
    readonly inhibitedBy: readonly string[]
  }
}

export interface Alertmanager extends AsyncDisposable {
  readonly url: string
  /** host:port, for the configuration of Prometheus. */
  readonly address: string
  alerts(): Promise<readonly ReceivedAlert[]>
  log(): string
  stop(): Promise<void>
}

/** Sends no notifications. */
const NO_RECEIVER = { route: { receiver: 'none' }, receivers: [{ name: 'none' }] }

/** Starts Alertmanager on a free port. The default configuration sends no notifications. */
export async function startAlertmanager(
  config: Readonly<Record<string, unknown>> = NO_RECEIVER,
): Promise<Alertmanager> {
  const folder = temporaryFolder()
  const file = folder.write('alertmanager.yml', stringify(config))
  const binary = realpathSync(toolPath('alertmanager'))
  const args = [
    `--config.file=${file}`,
    `--storage.path=${join(folder.path, 'data')}`,
    '--web.listen-address=127.0.0.1:0',
    '--cluster.listen-address=',
  ]
  // The copy unpacked by scripts/tools.ts finds its templates relative to its `usr` folder.
  const child = await startProcess(binary, args, { cwd: dirname(dirname(binary)) })
  const dispose = async () => {
    await child.stop()
    folder[Symbol.dispose]()
  }
  try {
    const url = await readyUrl(child)
    return {
      url,
      address: new URL(url).host,
      alerts: async () => (await getJson(`${url}/api/v2/alerts`)) as readonly ReceivedAlert[],
      log: child.stderr,
      stop: dispose,
      [Symbol.asyncDispose]: dispose,
    }
  } catch (failure) {
    await dispose()
    throw failure
  }
}

/** Runs `amtool check-config`. Findings give an exit code, not an exception. */
export function checkAlertmanagerConfig(file: string): Promise<Finished> {
  return run(toolPath('amtool'), ['check-config', file])
}
