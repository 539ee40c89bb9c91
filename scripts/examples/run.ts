import { setTimeout as sleep } from 'node:timers/promises'
import { type Child, run, startProcess } from '../../test/support/processes.ts'
import { normalise } from './normalise.ts'
import { freePorts, type Ports, withRealPorts, withShownPorts } from './ports.ts'
import type { Stage } from './stage.ts'
import type { Command, Example, Service, Step } from './table/example.ts'

/** Stands for the folder of the commands. */
const SHOWN_FOLDER = '/home/alice'

interface Setting {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly ports: Ports
}

/** Runs an example. @returns its block in Markdown @throws for a command that ends otherwise than expected */
export async function blockOf(example: Example, stage: Stage): Promise<string> {
  const ports = new Map([...stage.ports, ...(await freePorts(example.ownPorts ?? []))])
  const setting = {
    cwd: stage.folder(example.name, example.files ?? {}, ports),
    env: { ...stage.environment, ...example.environment },
    ports,
  }
  await using services = new Services(setting)
  const parts: string[] = []
  for (const step of example.steps) {
    const text = await textOf(step, setting, services)
    if (step.hide === undefined) parts.push(text)
  }
  return `\`\`\`console\n${parts.join('')}\`\`\`\n`
}

async function textOf(step: Step, setting: Setting, services: Services): Promise<string> {
  if ('later' in step) return shown(await services.outputUntil(step.later), step, setting)
  if ('start' in step) return `$ ${step.start}\n${shown(await services.start(step), step, setting)}`
  return `$ ${step.run}\n${shown(await outputOf(step, setting), step, setting)}`
}

async function outputOf(command: Command, { cwd, env, ports }: Setting): Promise<string> {
  const text = withRealPorts(command.actually ?? command.run, ports)
  const { code, stdout, stderr } = await run('bash', ['-c', `exec 2>&1\n${text}`], { cwd, env })
  if (code === (command.exit ?? 0)) return stdout
  throw new Error(`${command.run}: exit code ${code} instead of ${command.exit ?? 0}\n${stdout}${stderr}`)
}

/** The commands of an example that keep running. */
class Services implements AsyncDisposable {
  readonly #setting: Setting
  readonly #children: Child[] = []
  /** The length of the output of the last one that was shown. */
  #seen = 0

  constructor(setting: Setting) {
    this.#setting = setting
  }

  async start({ start, hidden = '', until }: Service): Promise<string> {
    const { cwd, env, ports } = this.#setting
    const command = withRealPorts(`exec 2>&1; exec ${start} ${hidden}`, ports)
    this.#children.push(await startProcess('bash', ['-c', command], { cwd, env }))
    this.#seen = 0
    return await this.outputUntil(until)
  }

  async outputUntil(pattern: RegExp): Promise<string> {
    const child = this.#children.at(-1)
    if (child === undefined) throw new Error('nothing was started')
    for (;;) {
      const text = child.stdout().slice(this.#seen)
      const match = pattern.exec(text)
      if (match === null) {
        const ended = await Promise.race([child.exited, sleep(20)])
        if (ended !== undefined) throw new Error(`a command ended before ${pattern}\n${child.stdout()}`)
        continue
      }
      const length = match.index + match[0].length
      this.#seen += length
      return text.slice(0, length)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#children.map((child) => child.stop()))
  }
}

/** The output as the page has it, with a line break at its end unless it is empty. */
function shown(
  output: string,
  { keep, edit }: Pick<Command, 'keep' | 'edit'>,
  { cwd, ports }: Setting,
): string {
  const text = normalise(withShownPorts(output, ports)).replaceAll(cwd, SHOWN_FOLDER)
  const lines = (edit?.(text) ?? text).split('\n').map((line) => line.trimEnd())
  while (lines.at(-1) === '') lines.pop()
  const kept = keep === undefined ? lines : shortened(lines, keep)
  return kept.map((line) => `${line}\n`).join('')
}

/** Each run of lines that do not match becomes one line "…". */
function shortened(lines: readonly string[], keep: RegExp): readonly string[] {
  return lines
    .map((line) => (keep.test(line) ? line : '…'))
    .filter((line, index, all) => line !== '…' || all[index - 1] !== '…')
}
