import { redactValues } from '../api/http/credentials.ts'
import type { PushResult } from '../metrics/own.ts'
import { shortened, visibleText } from '../text.ts'
import { errorCode, errorText } from '../values/errors.ts'

/** How a request, or a push, ended. */
export interface SendOutcome {
  readonly result: Exclude<PushResult, 'skipped'>
  /** What the receiver or the network said; never a secret. Undefined: ok. */
  readonly problem?: string
  /** What to do about it: one sentence without a full stop. */
  readonly remedy?: string
  /** Other requests may be accepted. */
  readonly isOfContent?: boolean
}

/** What the transport reports. */
export interface Sent {
  readonly error?: Error
  readonly rejected?: Rejected | undefined
}

/** `partial_success` of a response. */
export interface Rejected {
  readonly rejectedDataPoints?: number
  readonly errorMessage?: string
}

/** The message of the transport's own error for a request without a response. */
export const TIMED_OUT = 'Request timed out'
/** HTTP statuses for a request that is not valid or too large. */
const OF_CONTENT: readonly number[] = [400, 413, 422]

const REMEDIES = {
  partial: 'see the log of the receiver for the samples that it rejects',
  refused: 'correct otlp.endpoint and otlp.headers, or the limits of the receiver',
  unavailable: 'check the receiver, or raise otlp.interval',
  timeout: 'check the receiver and firewalls, or raise otlp.timeout',
  connection: 'check that the receiver runs, otlp.endpoint, otlp.tls_config and firewalls',
  local: 'correct what the reason names',
} as const satisfies Record<Exclude<SendOutcome['result'], 'ok'>, string>

function failed(result: keyof typeof REMEDIES, problem: string, isOfContent = false): SendOutcome {
  return { result, problem, remedy: REMEDIES[result], isOfContent }
}

export const failedLocally = (failure: unknown): SendOutcome => failed('local', errorText(failure))

/**
 * Errors of the transport have as their code the status, or that of Node.js, or none after the last repetition.
 * @param secrets values of headers, which a receiver may repeat
 */
export function sendOutcome({ error, rejected }: Sent, secrets: readonly string[]): SendOutcome {
  const words = (text: string) => wordsOf(text, secrets)
  if (error === undefined) return acceptedOutcome(rejected, words)
  const { code, data = '' } = error as { code?: unknown; data?: string }
  if (typeof code === 'number')
    return failed(
      'refused',
      `HTTP ${code}: ${words(data) || words(error.message)}`,
      OF_CONTENT.includes(code),
    )
  if (error.message === TIMED_OUT) return failed('timeout', 'no response within otlp.timeout')
  const own = errorCode(error)
  if (own !== '') return failed('connection', words(error.message) || own)
  if (error.name === 'OTLPExporterError')
    return failed('unavailable', 'HTTP 429, 502, 503 or 504 until otlp.timeout')
  return failed('local', words(error.message))
}

function acceptedOutcome(rejected: Rejected | undefined, words: (text: string) => string): SendOutcome {
  const { rejectedDataPoints: count = 0, errorMessage = '' } = rejected ?? {}
  // A message without rejected points is a warning, which the receiver may repeat for each request.
  if (Number(count) <= 0) return { result: 'ok' }
  return failed('partial', `the receiver rejected samples: ${words(errorMessage)}`, true)
}

const MAX_CHARACTERS = 300
const MAX_SEARCHED_CHARACTERS = 2000
/** A status in protobuf has its message between a few bytes that are no text. */
const READABLE = /[^\p{Cc}\p{Cs}\uFFFD]{4,}/u

function wordsOf(text: string, secrets: readonly string[]): string {
  const [found = ''] = READABLE.exec(text.slice(0, MAX_SEARCHED_CHARACTERS)) ?? []
  return visibleText(shortened(redactValues(found, secrets).trim(), MAX_CHARACTERS))
}
