import type { SystemConfig } from '../../config/config.ts'
import { createRedactor } from '../../recording/redaction/redactor.ts'
import type { ForbiddenText } from '../../recording/search/leaks.ts'
import { type ConfiguredName, configuredNames, createCommandClient } from '../cli/systems.ts'
import { createRecorder, type FinishOptions } from './recorder.ts'
import { type SendOptions, sendAll } from './requests.ts'

export interface RecordOptions {
  readonly system: SystemConfig
  readonly keepsNames: boolean
}

export type SystemRecording = ReturnType<typeof createSystemRecording>

/** The recording of one system. */
export function createSystemRecording({ system, keepsNames }: RecordOptions) {
  /** The names, and each secret once it is used. */
  const configured: ForbiddenText[] = namesOf(system)
  function addSecret(text: string): void {
    if (configured.some((forbidden) => forbidden.text === text)) return
    configured.push({ text, what: 'a password or token' })
  }
  const isSecret = (text: string) => configured.some((forbidden) => text.includes(forbidden.text))
  const redactor = createRedactor({ keepsNames, isSecret })
  const recorder = createRecorder(redactor, addSecret)
  return {
    recorder,
    redactor,
    /** Sends the requests and logs out. @throws as {@link sendAll}; what was answered before is recorded */
    async send(options: Pick<SendOptions, 'signal' | 'onStep'>): Promise<void> {
      const client = createCommandClient(system, { received: recorder.received })
      try {
        await sendAll({ ...options, system, client, recorder, now: () => Date.now() / 1000 })
      } finally {
        await client.close()
      }
    },
    finish: (options: Pick<FinishOptions, 'program' | 'complete'>) =>
      recorder.finish({ ...options, keepsNames, configured }),
  }
}

const FORBIDDEN: Readonly<Partial<Record<ConfiguredName['kind'], string>>> = {
  system: 'the name of the system',
  user: 'the user name',
  host: 'a host of base_url or tls_config',
}

function namesOf(system: SystemConfig): ForbiddenText[] {
  return configuredNames(system).flatMap(({ text, kind }): ForbiddenText[] => {
    const what = FORBIDDEN[kind]
    return what === undefined ? [] : [{ text, what }]
  })
}
