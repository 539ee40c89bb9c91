import { createSystemRecording, type SystemRecording } from '../../src/commands/capture.ts'
import { parseConfig } from '../../src/config/load.ts'
import type { EmulatorOptions } from '../../src/emulator/options.ts'
import { createReplay, type Replay } from '../../src/emulator/replay.ts'
import { parseRecording, type Recording } from '../../src/recording/format.ts'

/** Limits that do not slow down tests. */
export const LIMITS = 'limits: {requests_per_second: 1000}'
export const PASSWORD = 'emulator'

export const SYSTEM = 'frankfurt-prod'

/** A system of an emulator. */
export function systemAt(url: string, more = ''): string {
  return `{name: ${SYSTEM}, base_url: "${url}", auth: {username: monitor, password: ${PASSWORD}}${more}}`
}

export interface Captured extends SystemRecording {
  readonly text: string
  readonly recording: Recording
}

/** Records a system that is configured with YAML. @throws if texts leaked */
export async function capture(system: string, { keepsNames = false, rest = LIMITS } = {}): Promise<Captured> {
  const config = parseConfig(`systems: [${system}]\n${rest}\n`, { file: 'test.yml', environment: {} })
  const [only] = config.systems
  if (only === undefined) throw new Error('a system is required')
  const recording = createSystemRecording(only, keepsNames)
  await recording.send({ signal: new AbortController().signal, onStep: () => undefined })
  const { lines, leaks } = recording.finish({ program: 'sds-exporter test', complete: true })
  if (leaks.length > 0) throw new Error(`the recording has ${JSON.stringify(leaks)}`)
  const text = `${lines.join('\n')}\n`
  return { ...recording, text, recording: parseRecording(text) }
}

/** A replay on a free port; `await using` stops it at the end of the block. */
export async function startReplay(
  recording: Recording,
  options: EmulatorOptions = {},
): Promise<Replay & AsyncDisposable> {
  const replay = createReplay(recording, { listenAddress: '127.0.0.1:0', ...options })
  await replay.start()
  return Object.defineProperties({} as Replay & AsyncDisposable, {
    ...Object.getOwnPropertyDescriptors(replay),
    [Symbol.asyncDispose]: { value: replay.stop },
  })
}
