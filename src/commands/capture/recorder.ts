import type { ReceivedExchange } from '../../api/client.ts'
import { secretsIn } from '../../api/http/credentials.ts'
import { decodeVersions } from '../../api/query/requests/version.ts'
import { type RecordedExchange, type Recording, recordingLines } from '../../recording/format.ts'
import { createRedactor } from '../../recording/redaction/redactor.ts'
import { type ForbiddenText, findLeaks } from '../../recording/search/leaks.ts'
import { RESOURCE_NAMES } from '../../system_catalogue.ts'
import { MS_PER_SECOND, timeText } from '../../time_units.ts'

export type Recorder = ReturnType<typeof createRecorder>

export type RequestKey = Pick<ReceivedExchange, 'path' | 'query' | 'body'>

/** @param names texts of the configuration that are not even kept in names */
export function createRecorder(keepsNames: boolean, names: readonly ForbiddenText[]) {
  const exchanges = new Map<string, RecordedExchange>()
  const answers = new Map<string, { readonly text: string; readonly at: number }>()
  /** The names, and the secrets that were sent so far. */
  const configured = [...names]
  const isSecret = (text: string) => configured.some((forbidden) => text.includes(forbidden.text))
  const redactor = createRedactor({ keepsNames, isSecret })

  function addSecret(text: string): void {
    if (configured.some((forbidden) => forbidden.text === text)) return
    configured.push({ text, what: 'a password or token' })
  }

  return {
    redactor,
    received(exchange: ReceivedExchange): void {
      for (const secret of secretsIn(exchange.headers)) addSecret(secret)
      const { operation, outcome } = exchange
      if (operation === 'login' || operation === 'logout') return
      const key = keyOf(exchange)
      // A repeated request replaces one that was refused or failed.
      if (exchanges.get(key)?.status === 200) return
      const isResource = RESOURCE_NAMES.some((name) => name === operation)
      if (typeof outcome !== 'string' && outcome.status === 200 && isResource)
        answers.set(key, { text: outcome.text, at: outcome.at })
      exchanges.set(key, redactor.exchange(exchange))
    },
    /** The answer with status 200 to a request of a resource; undefined before it. */
    answerTo: (request: RequestKey) => answers.get(keyOf(request)),
    counts: () => countsOf([...exchanges.values()]),
    finish(options: Pick<Recording['header'], 'program' | 'complete'>) {
      const recorded = recordingOf([...exchanges.values()], {
        ...options,
        names: keepsNames ? 'kept' : 'replaced',
      })
      const lines = recordingLines(recorded)
      const { replaced, isStandIn } = redactor.standIns
      const texts = [...replaced().keys()].map((text) => ({ text, what: 'a replaced text' }))
      return { lines, leaks: findLeaks(lines, [...configured, ...texts], isStandIn) }
    },
  }
}

function keyOf({ path, query = '', body = '' }: RequestKey): string {
  return JSON.stringify([path, query, body])
}

/** `refused`: answers with another status than 200; `failed`: requests without a whole answer. */
function countsOf(exchanges: readonly RecordedExchange[]) {
  const failed = exchanges.filter(({ failure }) => failure !== undefined).length
  const answered = exchanges.filter(({ status }) => status === 200).length
  return { requests: exchanges.length, refused: exchanges.length - answered - failed, failed }
}

function recordingOf(
  exchanges: readonly RecordedExchange[],
  header: Pick<Recording['header'], 'program' | 'complete' | 'names'>,
): Recording {
  const versions = exchanges
    .filter(({ request, status }) => request.path === '/vdc/nodes' && status === 200)
    .flatMap(({ body }) => decodeVersions(body))
  return {
    header: {
      ...header,
      recording: 1,
      recorded_at: timeText(Date.now() / MS_PER_SECOND),
      versions: [...new Set(versions)],
    },
    exchanges,
  }
}
