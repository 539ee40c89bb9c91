import { gzipSync } from 'node:zlib'
import { API_ERRORS } from '../protocol/errors.ts'
import { CONTENT_TYPES, flatDocument, writeDocument } from '../protocol/format.ts'
import { COUNT, type FaultRequest, type FaultRow, type WireAnswer } from './fault.ts'

const MEGABYTE = 1_000_000
const KILOBYTE = 1_000
const LOGIN_PAGE =
  '<!DOCTYPE html><html><head><title>Log in</title></head><body><form action="/login"></form></body></html>'
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])
/** Bytes that begin nothing in UTF-8. */
const NOT_UTF8 = Buffer.from([0xff, 0xfe, 0xc0])

/** Faults of a whole answer: another one, or the right one with wrong headers or bytes. */
export const ANSWER_FAULTS = {
  status: {
    help: 'answers with an error; options after the status: retry-after=…, code=…, retryable=…, body=xml|json|html|none',
    argument: {
      name: 'STATUS[,OPTION=VALUE…]',
      fallback: '503',
      pattern:
        /^[2-5]\d\d(,(retry-after=[^,]*(, [^,=]*)?|code=\d+|retryable=(true|false)|body=(xml|json|html|none)))*$/,
    },
    effect: { stage: 'instead', answer: statusAnswer },
  },
  'redirect-login': {
    help: 'redirects to the login page, of this system or of another origin',
    argument: { name: 'ORIGIN', fallback: '', pattern: /^(https?:\/\/[^/\s]+)?$/ },
    effect: {
      stage: 'instead',
      answer: (origin, { url }) => redirect(`${origin}/login?service=${encodeURIComponent(url)}`),
    },
  },
  'redirect-other': {
    help: 'redirects to somewhere that is no login page',
    argument: { name: 'URL', fallback: '/elsewhere', pattern: /^\S+$/ },
    effect: { stage: 'instead', answer: redirect },
  },
  html: {
    help: 'answers 200 with the HTML of a login page',
    effect: {
      stage: 'instead',
      answer: () => answerOf(200, 'text/html; charset=utf-8', LOGIN_PAGE),
    },
  },
  'wrong-content-type': {
    help: 'the right body under a wrong content type',
    argument: { name: 'TYPE', fallback: 'text/plain', pattern: /^[\w.+-]+\/[\w.+-]+$/ },
    effect: { stage: 'answer', change: (answer, type) => withHeaders(answer, { 'Content-Type': type }) },
  },
  empty: {
    help: 'answers without a body',
    effect: { stage: 'answer', change: (answer) => ({ ...answer, body: Buffer.alloc(0) }) },
  },
  gzip: {
    help: 'compresses the body, whatever the client accepts',
    effect: {
      stage: 'answer',
      change: (answer) => ({ ...withHeaders(answer, GZIP), body: gzipSync(answer.body) }),
    },
  },
  'gzip-cut': {
    help: 'compresses the body and sends half of it as if it were all',
    effect: {
      stage: 'answer',
      change: (answer) => ({ ...withHeaders(answer, GZIP), body: firstHalf(gzipSync(answer.body)) }),
    },
  },
  'gzip-bomb': {
    help: 'a small compressed body that is huge when unpacked',
    argument: COUNT('MEGABYTES', 200),
    effect: {
      stage: 'answer',
      change: (answer, megabytes) => ({ ...withHeaders(answer, GZIP), body: gzipBomb(Number(megabytes)) }),
    },
  },
  'unknown-encoding': {
    help: 'claims a content encoding that the body does not have',
    argument: { name: 'NAME', fallback: 'br', pattern: /^[\w, -]+$/ },
    effect: { stage: 'answer', change: (answer, name) => withHeaders(answer, { 'Content-Encoding': name }) },
  },
  'bad-utf8': {
    help: 'puts bytes into the body that are not UTF-8',
    effect: { stage: 'answer', change: (answer) => ({ ...answer, body: withBadBytes(answer.body) }) },
  },
  bom: {
    help: 'begins the body with a byte order mark',
    effect: {
      stage: 'answer',
      change: (answer) => ({ ...answer, body: Buffer.concat([BYTE_ORDER_MARK, answer.body]) }),
    },
  },
  'big-headers': {
    help: 'sends more headers than a client should take',
    argument: COUNT('KILOBYTES', 64),
    effect: {
      stage: 'answer',
      change: (answer, kilobytes) =>
        withHeaders(answer, { 'X-Padding': 'x'.repeat(Number(kilobytes) * KILOBYTE) }),
    },
  },
} as const satisfies Record<string, FaultRow>

const GZIP = { 'Content-Encoding': 'gzip' }

function answerOf(status: number, type: string, text: string, headers = {}): WireAnswer {
  return { status, headers: { 'Content-Type': type, ...headers }, body: Buffer.from(text) }
}

function redirect(location: string): WireAnswer {
  return { status: 302, headers: { Location: location }, body: Buffer.alloc(0) }
}

/** `503,retry-after=30,body=xml`: the parts have been checked by the row's pattern. A date has a comma too. */
function statusAnswer(argument: string, { format }: FaultRequest): WireAnswer {
  const [status = '', ...parts] = argument.split(/,(?=[a-z-]+=)/)
  const options = new Map(
    parts.map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]),
  )
  const retryAfter = options.get('retry-after')
  const headers = retryAfter === undefined ? {} : { 'Retry-After': retryAfter }
  const form = options.get('body') ?? format
  if (form === 'none') return { status: Number(status), headers, body: Buffer.alloc(0) }
  if (form === 'html') {
    return answerOf(Number(status), 'text/html', `<html><body><h1>${status}</h1></body></html>`, headers)
  }
  const body = errorBody(Number(status), options.get('code'), options.get('retryable'))
  const asked = form === 'xml' ? 'xml' : 'json'
  return answerOf(
    Number(status),
    CONTENT_TYPES[asked],
    writeDocument(flatDocument('error', body), asked),
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

/** In small letters, as the headers of a finished answer are: else one header would be there twice. */
function withHeaders(answer: WireAnswer, headers: Readonly<Record<string, string>>): WireAnswer {
  const added = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  return { ...answer, headers: { ...answer.headers, ...Object.fromEntries(added) } }
}

export function firstHalf(body: Buffer): Buffer {
  return body.subarray(0, Math.floor(body.length / 2))
}

/** A gzip stream may consist of many: one megabyte of blanks, repeated. */
function gzipBomb(megabytes: number): Buffer {
  const member = gzipSync(Buffer.alloc(MEGABYTE, ' '))
  return Buffer.concat(Array.from({ length: megabytes }, () => member))
}

function withBadBytes(body: Buffer): Buffer {
  const name = '"displayName":"'
  const found = body.indexOf(name)
  const place = found < 0 ? Math.floor(body.length / 2) : found + name.length
  return Buffer.concat([body.subarray(0, place), NOT_UTF8, body.subarray(place)])
}
