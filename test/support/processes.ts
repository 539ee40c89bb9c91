import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Waiting, waitFor } from './wait.ts'

export interface Exit {
  /** The exit code; null when a signal ended the process. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Finished extends Exit {
  readonly stdout: string
  readonly stderr: string
}

export interface SpawnOptions {
  readonly cwd?: string
  /** Added to the environment of the test; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** A running child process. `await using` stops it, also when the test fails. */
export interface Child extends AsyncDisposable {
  readonly pid: number
  /** Output so far. */
  stdout(): string
  stderr(): string
  /** Waits for a match in stdout or stderr; fails at once when the child exits before. */
  waitForOutput(pattern: RegExp, waiting?: Partial<Waiting>): Promise<RegExpExecArray>
  kill(signal: NodeJS.Signals): void
  readonly exited: Promise<Exit>
  /** SIGTERM, and SIGKILL where that does not help within `grace` milliseconds (20 s by default). */
  stop(grace?: number): Promise<Exit>
}

/** Longer than the exporter takes to stop on a loaded machine. */
const DEFAULT_GRACE = 20_000

/** Starts a program without a shell. Throws when it cannot be started. */
export async function startProcess(
  command: string,
  args: readonly string[],
  options: SpawnOptions = {},
): Promise<Child> {
  const child = await spawned(command, args, options)
  child.stdin.end()
  return control(child, [command, ...args].join(' '))
}

/** Runs a program to its end, with `input` as its stdin; kills it after `timeout` milliseconds (110 s by default). */
export async function run(
  command: string,
  args: readonly string[],
  options: SpawnOptions & { readonly input?: string; readonly timeout?: number } = {},
): Promise<Finished> {
  const child = await spawned(command, args, options)
  const running = control(child, command)
  // A program that exits before it has read its input breaks the pipe. Its exit code is checked instead.
  child.stdin.on('error', () => undefined)
  child.stdin.end(options.input ?? '')
  const alarm = setTimeout(() => running.kill('SIGKILL'), options.timeout ?? 110_000)
  const exit = await running.exited
  clearTimeout(alarm)
  return { ...exit, stdout: running.stdout(), stderr: running.stderr() }
}

async function spawned(
  command: string,
  args: readonly string[],
  { cwd, env }: SpawnOptions,
): Promise<ChildProcessWithoutNullStreams> {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: 'pipe' })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (cause) => reject(new Error(`${command} cannot be started`, { cause })))
  })
  return child
}

/** Killed when the test process exits early. */
const running = new Set<ChildProcessWithoutNullStreams>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

function control(child: ChildProcessWithoutNullStreams, command: string): Child {
  const stdout = collect(child.stdout)
  const stderr = collect(child.stderr)
  running.add(child)
  const exited = new Promise<Exit>((resolve) => {
    child.once('close', (code, signal) => {
      running.delete(child)
      resolve({ code, signal })
    })
  })
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const output = () => `--- stdout of ${command}\n${stdout()}\n--- stderr\n${stderr()}`

  async function stop(grace = DEFAULT_GRACE): Promise<Exit> {
    if (!hasEnded()) child.kill('SIGTERM')
    const late = new AbortController()
    const kill = sleep(grace, undefined, { signal: late.signal }).then(
      () => child.kill('SIGKILL'),
      () => undefined,
    )
    const exit = await exited
    late.abort()
    await kill
    return exit
  }

  return {
    pid: child.pid ?? -1,
    stdout,
    stderr,
    async waitForOutput(pattern, waiting = {}) {
      const find = () => pattern.exec(stdout()) ?? pattern.exec(stderr())
      const match = await waitFor(() => find() ?? (hasEnded() ? 'ended' : null), {
        what: `${pattern} from ${command}`,
        detail: output,
        ...waiting,
      })
      if (match !== 'ended') return match
      await exited
      const last = find()
      if (last !== null) return last
      throw new Error(
        `${command} ended (${child.exitCode ?? child.signalCode}) before ${pattern}\n${output()}`,
      )
    },
    kill: (signal) => void child.kill(signal),
    exited,
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  }
}

/** Collects the output. `setEncoding` decodes characters that are split between chunks. */
function collect(stream: NodeJS.ReadableStream): () => string {
  let text = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    text += chunk
  })
  return () => text
}
