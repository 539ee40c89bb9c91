import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** A program started by this script. Its output goes to a file, because a full pipe would block it. */
export interface Program {
  readonly pid: number
  /** Stdout and stderr so far. */
  output(): string
  outputBytes(): number
  /** How the process ended; undefined while it runs. */
  end(): string | undefined
  /** Waits for a match of the first group in the output. @throws if the program ends before */
  find(pattern: RegExp): Promise<string>
  /** SIGTERM, then SIGKILL after a few seconds. */
  stop(): Promise<Stopped>
}

/** The end of a process. */
export interface Stopped {
  /** As {@link Program.end}. */
  readonly end: string | undefined
  /** Since SIGTERM. */
  readonly ms: number
}

export interface ProgramOptions {
  readonly outputFile: string
  readonly env?: Readonly<Record<string, string>>
  /** Limit of open file descriptors. */
  readonly descriptors?: number
  /** Replaces /etc/resolv.conf for this program; needs root. */
  readonly resolvConf?: string
}

const POLL_MS = 50
const START_MS = 60_000
const GRACE_MS = 20_000

/** Starts Node.js with the arguments. */
export function startProgram(args: readonly string[], options: ProgramOptions): Program {
  const { outputFile, env = {}, descriptors, resolvConf } = options
  const output = openSync(outputFile, 'a')
  // `exec` keeps the process id.
  const limit = descriptors === undefined ? '' : `ulimit -n ${descriptors} && `
  const mount = resolvConf === undefined ? '' : `mount --bind '${resolvConf}' /etc/resolv.conf && `
  const command = ['/bin/sh', '-c', `${mount}${limit}exec "$0" "$@"`, process.execPath, ...args]
  const [shell = '', ...rest] = resolvConf === undefined ? command : ['unshare', '--mount', ...command]
  const child = spawn(shell, rest, {
    stdio: ['ignore', output, output],
    env: { ...process.env, ...env },
  })
  closeSync(output)
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const read = () => readFileSync(outputFile, 'utf8')
  return {
    pid: child.pid ?? 0,
    output: read,
    outputBytes: () => statSync(outputFile).size,
    end: () => endOf(child),
    find: (pattern) => find(child, read, pattern),
    stop: () => stop(child),
  }
}

function endOf({ exitCode, signalCode }: ChildProcess): string | undefined {
  if (signalCode !== null) return `ended by ${signalCode}`
  return exitCode === null ? undefined : `ended with code ${exitCode}`
}

async function find(child: ChildProcess, read: () => string, pattern: RegExp): Promise<string> {
  const deadline = performance.now() + START_MS
  while (performance.now() < deadline) {
    const found = pattern.exec(read())?.[1]
    if (found !== undefined) return found
    const end = endOf(child)
    if (end !== undefined)
      throw new Error(`the program ${end} without output that matches ${pattern}\n${read()}`)
    await sleep(POLL_MS)
  }
  throw new Error(`no output that matches ${pattern} within ${START_MS / 1000} s`)
}

async function stop(child: ChildProcess): Promise<Stopped> {
  if (endOf(child) !== undefined) return { end: endOf(child), ms: 0 }
  const beganAt = performance.now()
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const kill = setTimeout(() => child.kill('SIGKILL'), GRACE_MS)
  await ended
  clearTimeout(kill)
  return { end: endOf(child), ms: performance.now() - beganAt }
}
