import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'
import { temporaryFolder } from './folders.ts'
import { getJson } from './http.ts'
import { type Finished, run, startProcess } from './processes.ts'
import { readyUrl } from './prometheus.ts'
import { toolPath } from './tools.ts'

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
  /** host:port, as Prometheus' configuration wants it. */
  readonly address: string
  alerts(): Promise<readonly ReceivedAlert[]>
  log(): string
  stop(): Promise<void>
}

const NOBODY = { route: { receiver: 'nobody' }, receivers: [{ name: 'nobody' }] }

/** Starts a real Alertmanager on a free port; without a configuration it keeps alerts and notifies nobody. */
export async function startAlertmanager(
  config: Readonly<Record<string, unknown>> = NOBODY,
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
  // The copy that scripts/tools.ts unpacks finds its templates relative to its own `usr` folder.
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

/** Runs `amtool check-config`; a finding is an exit code, not an exception. */
export function checkAlertmanagerConfig(file: string): Promise<Finished> {
  return run(toolPath('amtool'), ['check-config', file])
}
