import { fileURLToPath } from 'node:url'
import { type Child, type SpawnOptions, startProcess } from '../support/processes.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** The log line with the URL, in logfmt or JSON. */
const LISTENING = /msg=listening url=(\S+)|"msg":"listening","url":"([^"]+)"/

export interface Served extends AsyncDisposable {
  readonly child: Child
  readonly url: string
}

/** Starts `serve` as a child process. `limit` is its maximum number of file descriptors. */
export async function serve(
  file: string,
  options: { readonly limit?: number; readonly flags?: readonly string[] } & SpawnOptions = {},
): Promise<Served> {
  const { limit, flags = ['--admin.listen-address='] } = options
  const command = [
    process.execPath,
    MAIN,
    'serve',
    `--config.file=${file}`,
    '--web.listen-address=127.0.0.1:0',
    ...flags,
  ]
  const [program = '', ...args] =
    limit === undefined ? command : ['sh', '-c', `ulimit -n ${limit}; exec "$@"`, 'sh', ...command]
  const child = await startProcess(program, args, options)
  try {
    const [, plain, json] = await child.waitForOutput(LISTENING)
    return { child, url: plain ?? json ?? '', [Symbol.asyncDispose]: async () => void (await child.stop()) }
  } catch (failure) {
    await child.stop()
    throw failure
  }
}
