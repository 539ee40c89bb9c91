import { gzipSync } from 'node:zlib'
import { API_ERRORS } from '../protocol/errors.ts'
import { CONTENT_TYPES, writeDocument } from '../protocol/format.ts'
import {
  choiceArgument,
  countArgument,
  type FaultRequest,
  type FaultRow,
  type FullResponse,
} from './fault.ts'

const MEGABYTE = 1_000_000
const KILOBYTE = 1_000
const LOGIN_PAGE =
  '<!DOCTYPE html><html><head><title>Log in</title></head><body><form action="/login"></form></body></html>'
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])
/** Bytes that are invalid in UTF-8. */
const NOT_UTF8 = Buffer.from([0xff, 0xfe, 0xc0])

const GZIP = { 'Content-Encoding': 'gzip' }

const { code, description } = API_ERRORS.noPermission
/** Errors of the query interface, by the argument of the fault: status and body. */
const QUERY_ERRORS: Readonly<Record<string, readonly [status: number, body: unknown]>> = {
  role: [API_ERRORS.noPermission.status, { code, description, retryable: false }],
  compile: [500, { error: 'failed to compile query: loc 1:1: this error is made on purpose' }],
  internal: [500, { error: 'internal error: this error is made on purpose' }],
  timeout: [500, { error: 'query timed out' }],
  media: [406, { error: 'unsupported response media type: application/json' }],
}

/** Faults of a complete response: another response, or the correct one with wrong headers or bytes. */
export const RESPONSE_FAULTS = {
  status: {
    help: 'responds with an error; options after the status: retry-after=…, code=…, retryable=…, body=xml|json|html|none',
    argument: {
      name: 'STATUS[,OPTION=VALUE…]',
      fallback: '503',
      pattern:
        /^[2-5]\d\d(,(retry-after=[^,]*(, [^,=]*)?|code=\d+|retryable=(true|false)|body=(xml|json|html|none)))*$/,
    },
    respond: statusResponse,
  },
  'query-error': {
    help: 'responds to queries with an error: missing role, compile error, internal error, timeout, or media type',
    argument: choiceArgument(Object.keys(QUERY_ERRORS), 'compile'),
    operation: 'query',
    respond: (kind) => {
      const [status, body] = QUERY_ERRORS[kind] ?? [500, {}]
      return responseOf(status, CONTENT_TYPES.json, JSON.stringify(body))
    },
  },
  'redirect-login': {
    help: 'redirects to the login page of this system or of another origin',
    argument: { name: 'ORIGIN', fallback: '', pattern: /^(https?:\/\/[^/\s]+)?$/ },
    respond: (origin, { url }) => redirect(`${origin}/login?service=${encodeURIComponent(url)}`),
  },
  'redirect-other': {
    help: 'redirects to a URL that is not the login page',
    argument: { name: 'URL', fallback: '/elsewhere', pattern: /^\S+$/ },
    respond: redirect,
  },
  html: {
    help: 'responds with status 200 and the HTML of a login page',
    respond: () => responseOf(200, 'text/html; charset=utf-8', LOGIN_PAGE),
  },
  'wrong-content-type': {
    help: 'sends the correct body with a wrong content type',
    argument: { name: 'TYPE', fallback: 'text/plain', pattern: /^[\w.+-]+\/[\w.+-]+$/ },
    response: changed((_body, type) => ({ headers: { 'Content-Type': type } })),
  },
  empty: {
    help: 'responds without a body',
    response: changed(() => ({ body: Buffer.alloc(0) })),
  },
  gzip: {
    help: 'compresses the body, even if the client does not accept it',
    response: changed((body) => ({ headers: GZIP, body: gzipSync(body) })),
  },
  'gzip-cut': {
    help: 'compresses the body and sends the first half of it with a matching Content-Length',
    response: changed((body) => ({ headers: GZIP, body: firstHalf(gzipSync(body)) })),
  },
  'gzip-bomb': {
    help: 'sends a small compressed body that is huge when decompressed',
    argument: countArgument('MEGABYTES', 200),
    response: changed((_body, megabytes) => ({ headers: GZIP, body: gzipBomb(Number(megabytes)) })),
  },
  'unknown-encoding': {
    help: 'sends a Content-Encoding that the body does not have',
    argument: { name: 'NAME', fallback: 'br', pattern: /^[\w, -]+$/ },
    response: changed((_body, name) => ({ headers: { 'Content-Encoding': name } })),
  },
  'bad-utf8': {
    help: 'inserts bytes that are not valid UTF-8 into the body',
    response: changed((body) => ({ body: withBadBytes(body) })),
  },
  bom: {
    help: 'starts the body with a byte order mark',
    response: changed((body) => ({ body: Buffer.concat([BYTE_ORDER_MARK, body]) })),
  },
  'big-headers': {
    help: 'sends a header that is too large for most clients',
    argument: countArgument('KILOBYTES', 64),
    response: changed((_body, kilobytes) => ({
      headers: { 'X-Padding': 'x'.repeat(Number(kilobytes) * KILOBYTE) },
    })),
  },
} as const satisfies Record<string, FaultRow>

function responseOf(status: number, type: string, text: string, headers = {}): FullResponse {
  return { status, headers: { 'Content-Type': type, ...headers }, body: Buffer.from(text) }
}

function redirect(location: string): FullResponse {
  return { status: 302, headers: { Location: location }, body: Buffer.alloc(0) }
}

/** `503,retry-after=30,body=xml`, already validated by the pattern. The date of retry-after contains a comma too. */
function statusResponse(argument: string, { format }: FaultRequest): FullResponse {
  const [status = '', ...parts] = argument.split(/,(?=[a-z-]+=)/)
  const options = new Map(
    parts.map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]),
  )
  const retryAfter = options.get('retry-after')
  const headers = retryAfter === undefined ? {} : { 'Retry-After': retryAfter }
  const form = options.get('body') ?? format
  if (form === 'none') return { status: Number(status), headers, body: Buffer.alloc(0) }
  if (form === 'html') {
    return responseOf(Number(status), 'text/html', `<html><body><h1>${status}</h1></body></html>`, headers)
  }
  const body = errorBody(Number(status), options.get('code'), options.get('retryable'))
  const bodyFormat = form === 'xml' ? 'xml' : 'json'
  return responseOf(
    Number(status),
    CONTENT_TYPES[bodyFormat],
    writeDocument({ root: 'error', members: body }, bodyFormat),
    headers,
  )
}

function errorBody(status: number, code: string | undefined, retryable: string | undefined) {
  const rows = Object.values(API_ERRORS)
  const row =
    code === undefined
      ? rows.findLast(
          (candidate) => candidate.status === status && candidate.code !== API_ERRORS.noPermission.code,
        )
      : rows.find((candidate) => candidate.code === Number(code))
  return {
    code: Number(code ?? row?.code ?? API_ERRORS.failure.code),
    description: row?.description ?? API_ERRORS.failure.description,
    details: 'This error is made on purpose',
    retryable: retryable === undefined ? status >= API_ERRORS.failure.status : retryable === 'true',
  }
}

function changed(
  change: (body: Buffer, argument: string) => { body?: Buffer; headers?: Readonly<Record<string, string>> },
): NonNullable<FaultRow['response']> {
  return (response, argument) => {
    const { body = response.body, headers = {} } = change(response.body, argument)
    // Lowercase, as in a complete response, so that no header is sent twice.
    const added = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
    return { ...response, body, headers: { ...response.headers, ...Object.fromEntries(added) } }
  }
}

export function firstHalf(body: Buffer): Buffer {
  return body.subarray(0, Math.floor(body.length / 2))
}

/** A gzip stream may have many members: one megabyte of blanks, repeated. */
function gzipBomb(megabytes: number): Buffer {
  const member = gzipSync(Buffer.alloc(MEGABYTE, ' '))
  return Buffer.concat(Array.from({ length: megabytes }, () => member))
}

function withBadBytes(body: Buffer): Buffer {
  const name = '"displayName":"'
  const found = body.indexOf(name)
  const position = found < 0 ? Math.floor(body.length / 2) : found + name.length
  return Buffer.concat([body.subarray(0, position), NOT_UTF8, body.subarray(position)])
}
