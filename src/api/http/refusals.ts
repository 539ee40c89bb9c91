import { ApiError, type ErrorBody } from '../errors/errors.ts'
import { REASONS } from '../errors/reasons.ts'
import { meaningOf, pauseMs, type RefusedRequest } from '../errors/refusal_table.ts'
import { isPage, readNumber, readText } from '../parse/json.ts'
import { readObject } from '../parse/xml.ts'
import { speaksTls, withPortHint } from './failures.ts'
import type { HttpResponse } from './transport.ts'

/**
 * Why a response does not have what was requested; undefined for 200. The body is read before the status is judged:
 * real systems send a missing role as 500.
 * @param of what was requested, where that decides what the refusal means
 */
export function refusalOf(response: HttpResponse, of?: RefusedRequest): ApiError | undefined {
  const { status, baseUrl } = response
  if (status === 200) return undefined
  const isRedirect = status >= 300 && status < 400
  return withPortHint(isRedirect ? redirectRefusal(response) : tableRefusal(response, of), baseUrl)
}

/** `/login` on real systems, and usual paths of single sign-on in front of them. */
const LOGIN_PAGE = /\/(login|signin|sign-in)(\.\w+)?(;[^/]*)?\/?$/i

/** The response to an expired session is a redirect to the login page, perhaps on another host. */
function redirectRefusal(response: HttpResponse): ApiError {
  const { status } = response
  // 304 is no redirect, and no request is conditional.
  if (status === 304) return tableRefusal(response, undefined)
  const location = response.header('location') ?? ''
  if (LOGIN_PAGE.test(location.replace(/[?#].*$/, '')))
    return new ApiError('auth', `the token is not accepted (HTTP ${status} to the login page)`, { status })
  const text = `the system redirects (HTTP ${status}), which is never followed: check base_url`
  return new ApiError('redirect', text, { status })
}

function tableRefusal(response: HttpResponse, of: RefusedRequest | undefined): ApiError {
  const { status } = response
  const body = readErrorBody(response)
  const said = saidBy(response, body)
  const words = `${said}\n${response.text}`
  const meaning = meaningOf({ of, status, code: body?.code, words })
  const { reason, text = REASONS[reason].text, remedy } = meaning
  // Without the status, because it is not a response of the management API.
  if (reason === 'tls') return speaksTls(reason)
  const code = body?.code === undefined ? '' : `, code ${body.code}`
  const detail = `${text} (HTTP ${status}${code})${said === '' ? '' : `; it says: ${quoted(said)}`}`
  const retryAfterMs = pauseMs(meaning, words) ?? parseRetryAfter(response.header('retry-after'))
  return new ApiError(reason, detail, { status, body, retryAfterMs, remedy })
}

/** The words of a refusal in one line: those of its error body, or the title of the page of a proxy. Empty if there are none. */
export function saidBy(response: HttpResponse, body = readErrorBody(response)): string {
  const words = body === undefined ? [titleOf(response)] : [body.description, body.details]
  return words
    .filter((text) => text !== undefined)
    .join(': ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** How much of the text of the system a message quotes. The log has all of it at level debug. */
const MAX_QUOTED_CHARACTERS = 500

/** Cut after a word, with an ellipsis. */
function quoted(said: string): string {
  if (said.length <= MAX_QUOTED_CHARACTERS) return said
  const beginning = said.slice(0, MAX_QUOTED_CHARACTERS)
  const end = said[MAX_QUOTED_CHARACTERS] === ' ' ? beginning.length : beginning.lastIndexOf(' ')
  return `${beginning.slice(0, end > 0 ? end : beginning.length)} …`
}

/** Bound of the pattern match. */
const MAX_TITLE_CHARACTERS = 4000

function titleOf({ text, redact }: HttpResponse): string | undefined {
  const title = new RegExp(`<title>([^<]{1,${MAX_TITLE_CHARACTERS}})</title>`, 'i').exec(text)?.[1]
  return isPage(text) && title !== undefined ? readText(redact(title)) : undefined
}

/** Reads an error body in JSON or XML; undefined for anything else, such as a proxy's page. */
export function readErrorBody({
  text,
  redact,
}: Pick<HttpResponse, 'text' | 'redact'>): ErrorBody | undefined {
  const words = (value: unknown) => {
    const read = readText(value)
    return read === undefined ? undefined : redact(read)
  }
  const found = readObject(text, 'error')
  if (found === undefined) return undefined
  const code = readNumber(found['code'])
  const { retryable: flag } = found
  const retryable = typeof flag === 'boolean' ? String(flag) : readText(flag)
  return {
    code: typeof code === 'number' ? code : undefined,
    description: words(found['description']),
    details: words(found['details'] ?? found['msgDetails']),
    retryable: retryable === 'true' ? true : retryable === 'false' ? false : undefined,
  }
}

const LONGEST_PAUSE_MS = 15 * 60_000

/** `Retry-After` in seconds or as an HTTP date, as milliseconds from now; undefined for anything else. */
export function parseRetryAfter(value: string | undefined, now: number = Date.now()): number | undefined {
  const text = value?.trim() ?? ''
  // Of other texts, Date.parse also reads numbers.
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(/^[a-z]/i.test(text) ? text : '') - now
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), LONGEST_PAUSE_MS) : undefined
}
