import { runProgram } from '../../src/commands/program.ts'
import type { Finished } from '../support/processes.ts'

interface Surroundings {
  readonly cwd?: string
  /** Added to the environment of the test; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

type Stream = typeof process.stdout | typeof process.stderr

/** Commands share the process, so they run one after the other. */
let last: Promise<unknown> = Promise.resolve()

/**
 * Runs a command line in this process, which takes a tenth of the CPU time of a new one. For tests of what commands
 * print; not for signals, a stdin, or output that is a stream. Only for integration tests.
 */
export function runCommand(args: readonly string[], surroundings: Surroundings = {}): Promise<Finished> {
  const finished = last.then(() => runAlone(args, surroundings))
  last = finished.catch(() => undefined)
  return finished
}

async function runAlone(args: readonly string[], { cwd, env = {} }: Surroundings): Promise<Finished> {
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)]
  const before = { cwd: process.cwd(), env: { ...process.env } }
  try {
    if (cwd !== undefined) process.chdir(cwd)
    setVariables(env)
    const code = await runProgram(args)
    return { code, signal: null, stdout: stdout.text(), stderr: stderr.text() }
  } finally {
    stdout.end()
    stderr.end()
    process.chdir(before.cwd)
    setVariables(Object.fromEntries(Object.keys(env).map((name) => [name, before.env[name]])))
  }
}

function setVariables(variables: NonNullable<Surroundings['env']>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
}

/** Keeps what is written to a stream, instead of writing it. */
function capture(stream: Stream): { text(): string; end(): void } {
  const { write } = stream
  const chunks: string[] = []
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    chunks.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString())
    const written = rest.at(-1)
    if (typeof written === 'function') written()
    return true
  }
  return {
    text: () => chunks.join(''),
    end() {
      stream.write = write
    },
  }
}
