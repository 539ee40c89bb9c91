import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../../test/support/ports.ts'
import { waitFor } from '../../../test/support/wait.ts'

/** The exposition that all servers serve, as files, in a folder for the programs. */
export interface Served {
  readonly folder: string
  readonly text: string
  readonly gzip: string
}

/** What a scrape of the exporter is compared with. */
export interface Reference {
  readonly name: string
  readonly compresses: boolean
  /** Starts it. @throws where a program is missing */
  readonly start: (served: Served) => Promise<Server>
}

export interface Server {
  readonly child: ChildProcess
  /** Of the server, without a path. */
  readonly url: string
}

export const READY_BYTES = 'a Go handler of ready bytes'

export const REFERENCES: readonly Reference[] = [
  { name: READY_BYTES, compresses: true, start: startReadyBytes },
  { name: 'a Node.js handler of ready bytes', compresses: true, start: startNodeReadyBytes },
  { name: 'nginx with ready files', compresses: true, start: startNginx },
  {
    name: 'client_golang, prebuilt families',
    compresses: true,
    start: (served) => startClientGolang(served, 'families'),
  },
  {
    name: 'client_golang, GaugeVec',
    compresses: true,
    start: (served) => startClientGolang(served, 'gaugevec'),
  },
  { name: 'prom-client', compresses: false, start: startPromClient },
]

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))

async function startReadyBytes({ folder, text, gzip }: Served): Promise<Server> {
  const program = join(folder, 'ready_bytes')
  buildGo(['-o', program, here('./ready_bytes.go')], folder)
  return started(spawn(program, [text, gzip], { stdio: ['ignore', 'pipe', 'inherit'] }))
}

async function startClientGolang({ folder, text }: Served, mode: 'families' | 'gaugevec'): Promise<Server> {
  const program = join(folder, 'client_golang')
  buildGo(['-o', program, '.'], here('./client_golang'))
  return started(spawn(program, [mode, text], { stdio: ['ignore', 'pipe', 'inherit'] }))
}

function buildGo(args: readonly string[], cwd: string): void {
  try {
    execFileSync('go', ['build', ...args], { cwd, stdio: ['ignore', 'ignore', 'pipe'] })
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    throw new Error(isMissing ? 'Go is not installed' : 'Go cannot build it here', { cause })
  }
}

function startPromClient({ text }: Served): Promise<Server> {
  return startNode('./prom_client_server.ts', [text])
}

function startNodeReadyBytes({ text, gzip }: Served): Promise<Server> {
  return startNode('./ready_bytes.ts', [text, gzip])
}

function startNode(program: string, args: readonly string[]): Promise<Server> {
  return started(spawn(process.execPath, [here(program), ...args], { stdio: ['ignore', 'pipe', 'inherit'] }))
}

/** One process, as its figures are compared with those of one process. */
async function startNginx({ folder, text, gzip }: Served): Promise<Server> {
  const port = await freePort()
  const root = join(folder, 'nginx')
  mkdirSync(root, { recursive: true })
  copyFileSync(text, join(root, 'metrics'))
  copyFileSync(gzip, join(root, 'metrics.gz'))
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${root}/${name};`,
  )
  const server = `server { listen 127.0.0.1:${port}; root ${root}; default_type text/plain; gzip_static on; }`
  const http = `access_log off; sendfile on; keepalive_requests 1000000; ${paths.join(' ')} ${server}`
  const main = `daemon off; master_process off; pid ${root}/pid; error_log stderr crit;`
  const file = join(root, 'nginx.conf')
  writeFileSync(file, `${main} events {} http { ${http} }\n`)
  const child = spawn('nginx', ['-c', file, '-p', root], { stdio: ['ignore', 'ignore', 'ignore'] })
  await once(child, 'spawn').catch((cause) => {
    throw new Error('nginx is not installed', { cause })
  })
  const url = `http://127.0.0.1:${port}`
  const isUp = async () => (await fetch(`${url}/metrics`, { method: 'HEAD' })).ok
  await waitFor(() => child.exitCode !== null || isUp(), { what: 'nginx' })
  if (child.exitCode !== null) throw new Error('nginx does not start')
  return { child, url }
}

/** The first line of the output is the URL. */
async function started(child: ChildProcess): Promise<Server> {
  const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer]
  return { child, url: line.toString().trim() }
}
