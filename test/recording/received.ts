import type { ReceivedExchange } from '../../src/api/client.ts'
import type { Recording } from '../../src/recording/format.ts'
import { createRedactor } from '../../src/recording/redactor.ts'
import { createStandIns } from '../../src/recording/stand_ins.ts'

export interface ReceivedText {
  readonly operation?: ReceivedExchange['operation']
  readonly path?: string
  readonly query?: string
  readonly text: string
  /** Of the request. */
  readonly sent?: string
  readonly headers?: Readonly<Record<string, string>>
}

export const POOL = 'b17d28fa-7fc3-465e-9f43-281e72a349eb'

/** The first line of a recording. */
export const RECORDING_HEADER: Recording['header'] = {
  ...{ recording: 1, program: '', recorded_at: '', complete: true, names: 'replaced', versions: [] },
}

export function redactor(keepsNames = false) {
  const isSecret = (text: string) => text.includes('password-of-the-monitor')
  return createRedactor({ keepsNames, isSecret }, createStandIns(Buffer.alloc(32, 1)))
}

export function received({
  operation = 'nodes',
  path = '/dashboard/zones/localzone',
  query,
  text,
  sent,
  headers = {},
}: ReceivedText): ReceivedExchange {
  return {
    operation,
    method: sent === undefined ? 'GET' : 'POST',
    path,
    query,
    body: sent,
    headers: {},
    outcome: { status: 200, header: (name) => headers[name], text, at: 1_790_000_000 },
  }
}

/** What is recorded of a body. */
export function redacted(
  value: unknown,
  operation: ReceivedExchange['operation'] = 'nodes',
  keepsNames = false,
): unknown {
  return redactor(keepsNames).exchange(received({ operation, text: JSON.stringify(value) })).body
}
