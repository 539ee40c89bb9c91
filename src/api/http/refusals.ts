import { ApiError, type ErrorBody } from '../errors/errors.ts'
import { REASONS, type Reason } from '../errors/reasons.ts'
import { member, parseObject, readText } from '../parse/json.ts'
import { entityText, isPage } from '../parse/markup.ts'
import { readNumber } from '../parse/numbers.ts'
import { speaksTls } from './hints.ts'
import type { HttpResponse } from './transport.ts'

/** Codes of the storage system that mean "missing role", whatever the HTTP status. */
const ROLE_CODES: readonly number[] = [3000, 1026, 6401]

/**
 * Why a response does not have what was requested; undefined for 200. The body is read before the status is judged:
 * real systems send a missing role as 500.
 */
export function refusalOf(response: HttpResponse): ApiError | undefined {
  const { status } = response
  if (status === 200) return undefined
  if (status >= 300 && status < 400) return redirectRefusal(response)
  // Without the status, because it is not a response of the management API.
  if (status === 400 && SENT_TO_TLS.test(response.text)) return speaksTls('tls')
  const body = readErrorBody(response)
  const reason = reasonOf(status, body)
  const retryAfterMs = parseRetryAfter(response.header('retry-after'))
  return new ApiError(reason, refusalText(response, reason, body), { status, body, retryAfterMs })
}

/** Responses of nginx, Go and Apache to plain HTTP on a TLS port. */
const SENT_TO_TLS = /\b(sent to HTTPS port|to an HTTPS server|plain HTTP to an SSL-enabled server port)\b/i

/** `/login` on real systems, and usual paths of single sign-on in front of them. */
const LOGIN_PAGE = /\/(login|signin|sign-in)(\.\w+)?(;[^/]*)?\/?$/i

/** The response to an expired session is a redirect to the login page, perhaps on another host. */
function redirectRefusal(response: HttpResponse): ApiError {
  const { status } = response
  // 304 is no redirect, and no request is conditional.
  if (status === 304) return new ApiError('schema', `${REASONS.schema.refusal} (HTTP ${status})`, { status })
  const location = response.header('location') ?? ''
  if (LOGIN_PAGE.test(location.replace(/[?#].*$/, '')))
    return new ApiError('auth', `the token is not accepted (HTTP ${status} to the login page)`, { status })
  const text = `the system redirects (HTTP ${status}), which is never followed: check base_url`
  return new ApiError('redirect', text, { status })
}

/** 502 and 504 come from a proxy that cannot reach its service. */
const NOT_AVAILABLE: readonly number[] = [502, 503, 504]

function reasonOf(status: number, body: ErrorBody | undefined): Reason {
  if (status === 401) return 'auth'
  if (status === 403 || (body?.code !== undefined && ROLE_CODES.includes(body.code))) return 'forbidden'
  if (status === 404) return 'not_found'
  if (status === 429) return 'throttled'
  if (NOT_AVAILABLE.includes(status)) return 'unavailable'
  if (status >= 500) return 'server_error'
  return status >= 400 ? 'client_error' : 'schema'
}

/** How much of the text of the system a message quotes. */
const MAX_QUOTED_CHARACTERS = 200

function refusalText(response: HttpResponse, reason: Reason, body: ErrorBody | undefined): string {
  const { status } = response
  const words = body === undefined ? [titleOf(response)] : [body.description, body.details]
  const said = words.filter((text) => text !== undefined).join(': ')
  const code = body?.code === undefined ? '' : `, code ${body.code}`
  const quote =
    said === '' ? '' : `; it says: ${said.replaceAll(/\s+/g, ' ').slice(0, MAX_QUOTED_CHARACTERS)}`
  return `${REASONS[reason].refusal ?? REASONS[reason].text} (HTTP ${status}${code})${quote}`
}

/** The title of an HTML page of a proxy. */
function titleOf({ text, redact }: HttpResponse): string | undefined {
  const title = new RegExp(`<title>([^<]{1,${MAX_MEMBER_CHARACTERS}})</title>`, 'i').exec(text)?.[1]
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
  const trimmed = text.trimStart()
  const found = trimmed.startsWith('<') ? xmlMembers(trimmed) : jsonMembers(trimmed)
  if (found === undefined) return undefined
  const code = readNumber(found['code'])
  const { retryable: flag } = found
  const retryable = typeof flag === 'boolean' ? String(flag) : readText(flag)
  return {
    code: code.state === 'served' ? code.value : undefined,
    description: words(found['description']),
    details: words(found['details']),
    retryable: retryable === 'true' ? true : retryable === 'false' ? false : undefined,
  }
}

type ErrorMembers = Readonly<Record<string, unknown>>
const MEMBERS = ['code', 'description', 'details', 'retryable'] as const

function jsonMembers(text: string): ErrorMembers | undefined {
  const body = parseObject(text)
  return body && Object.fromEntries(MEMBERS.map((name) => [name, member(body, name)]))
}

/** How far into a body the root is looked for, behind a declaration and comments. */
const MAX_PROLOG_CHARACTERS = 2000
/** Bound of the pattern match. */
const MAX_MEMBER_CHARACTERS = 4000

/** The elements below `<error>`, found by patterns, so that hostile refusals do not reach the XML parser. */
function xmlMembers(text: string): ErrorMembers | undefined {
  if (!/<error[\s>]/.test(text.slice(0, MAX_PROLOG_CHARACTERS))) return undefined
  return Object.fromEntries(
    MEMBERS.map((name) => {
      const element = new RegExp(`<${name}>([^<]{0,${MAX_MEMBER_CHARACTERS}})</${name}>`)
      const content = element.exec(text)?.[1]
      return [
        name,
        content?.replace(/&(#?\w{2,8});/g, (whole, entity: string) => entityText(entity) ?? whole),
      ]
    }),
  )
}

const LONGEST_PAUSE_MS = 15 * 60_000
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** `Retry-After` in seconds or as an HTTP date, as milliseconds from now; undefined for anything else. */
export function parseRetryAfter(value: string | undefined, now: number = Date.now()): number | undefined {
  const text = value?.trim() ?? ''
  const ms = /^\d{1,9}$/.test(text)
    ? Number(text) * 1000
    : HTTP_DATE.test(text)
      ? Date.parse(text) - now
      : Number.NaN
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), LONGEST_PAUSE_MS) : undefined
}
