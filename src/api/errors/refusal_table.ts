import type { Reason } from './reasons.ts'

/** What was requested, where that decides what a refusal means. */
export type RefusedRequest = 'login' | 'deletion' | 'query'

/** A row is for the responses that fit all of its conditions. */
interface RefusalRow {
  readonly of?: RefusedRequest
  /** The HTTP status, or the first and the last one of a range. */
  readonly status?: number | readonly [first: number, last: number]
  /** The member `code` of the error body. */
  readonly codes?: readonly number[]
  /** Found in the error body or page. */
  readonly words?: RegExp
  readonly reason: Reason
  /** The first sentence of the message, if it is not that of the reason. */
  readonly text?: string
  /** What to do about it, if it is not that of the reason: one sentence without a full stop. */
  readonly remedy?: string
  /** For how long no other login is sent, unless the words name the minutes. */
  readonly pauseMinutes?: number
  /** Where the meaning is known from. */
  readonly evidence: string
}

const REFUSED = 'the request was refused'
const NO_ROLE = 'the account lacks the role for this request'
const CREDENTIALS = 'correct the user name or the password'
const ANCESTOR = 'sources of CoprHD, the open-source ancestor'

const ROLE_WORDS = /insufficient permission|lacks? the role|\brole\b.*\brequired\b|\brequires?\b.*\brole\b/i
/** Members of the object in which the web portal wraps every answer. */
export const PORTAL_WORDS = /"(?:isSuccess|msgDetails)"\s*:/
export const PORTAL = {
  reason: 'schema',
  text: 'the web portal of the system responds, not the management API',
  remedy:
    'write the port of the management API in base_url (4443 unless changed): 443 is that of the web portal',
} as const satisfies Partial<RefusalRow>

const LOGIN_REFUSED = { of: 'login', status: 401, reason: 'auth' } as const satisfies Partial<RefusalRow>
const ALREADY_DELETED = {
  of: 'deletion',
  reason: 'not_found',
  text: 'the system has no provider with this id',
  remedy: 'none if it is already deleted: list the providers',
} as const satisfies Partial<RefusalRow>

/**
 * What a response means that does not have what was requested. The first row that fits decides. The meaning of a status or
 * a code is that of the words, where they are known: one code has up to eight meanings.
 */
const REFUSALS: readonly RefusalRow[] = [
  {
    status: [300, 599],
    words: PORTAL_WORDS,
    ...PORTAL,
    evidence: 'ECS-CommunityEdition issue 500',
  },
  // A login.
  {
    ...LOGIN_REFUSED,
    words: /\bLDAP\b/,
    reason: 'server_error',
    text: 'the system could not ask its LDAP server',
    remedy:
      'check the LDAP server, and the authentication provider of the system; the account may be right, so the login is tried again after a minute',
    pauseMinutes: 1,
    evidence: `${ANCESTOR}: four texts with code 4000`,
  },
  {
    ...LOGIN_REFUSED,
    words: /number of tokens exceeded/i,
    text: 'the account has too many sessions',
    remedy:
      'log out other sessions of the account, of which at most 100 can be open; those without use end after two hours',
    evidence: 'ECS-CommunityEdition issue 193, code 4000',
  },
  {
    ...LOGIN_REFUSED,
    words: /invalid login (limit|attempts)/i,
    text: 'the system blocks logins from this address, because too many failed',
    remedy:
      'wait until the block has ended; it comes back while something at this address logs in with a wrong password',
    // As long as the ancestor blocks an address.
    pauseMinutes: 10,
    evidence: `${ANCESTOR}, code 4000: ten failed logins block an address for ten minutes`,
  },
  {
    ...LOGIN_REFUSED,
    words: /use HTTPS/i,
    text: 'the system accepts logins with HTTPS only',
    remedy: 'write https:// in base_url',
    evidence: `${ANCESTOR}, code 4000`,
  },
  {
    ...LOGIN_REFUSED,
    words: /invalid or expired credentials/i,
    text: 'the system does not accept the user name or the password',
    remedy: `${CREDENTIALS}, or unlock the account`,
    evidence: 'ECS-CommunityEdition issues 182 and 509, code 401',
  },
  {
    ...LOGIN_REFUSED,
    text: 'the system refuses the login',
    remedy: `${CREDENTIALS}; other causes are a locked account, 100 open sessions, ten failed logins in ten minutes, and an LDAP server that the system does not reach`,
    evidence: `${ANCESTOR}: code 4000 has eight meanings`,
  },
  // A deletion. The API document shows neither its refusals nor its role.
  {
    of: 'deletion',
    status: 400,
    words: /not a valid UR[IN]\b/i,
    reason: 'client_error',
    text: REFUSED,
    remedy: 'correct the id: list the providers',
    evidence: `${ANCESTOR}, codes 1002 and 1013`,
  },
  {
    of: 'deletion',
    codes: [1013, 1025],
    reason: 'client_error',
    text: 'the provider is still in use',
    remedy:
      'remove the mappings of the provider from the tenants, roles and user groups that the system names, then delete it',
    evidence: `${ANCESTOR}; 1025: table of codes of python-ecsclient`,
  },
  { ...ALREADY_DELETED, status: 404, evidence: `${ANCESTOR}, code 2000` },
  { ...ALREADY_DELETED, status: 400, codes: [1004], evidence: 'goobjectscale' },
  // Access.
  {
    codes: [3001, 3002],
    reason: 'forbidden',
    text: 'the license of the system does not allow this request',
    remedy: 'add or renew the license of the system; no role of the account changes this',
    evidence: `ECS-CommunityEdition issue 513; 3002: ${ANCESTOR}`,
  },
  {
    of: 'deletion',
    status: [402, 599],
    words: ROLE_WORDS,
    reason: 'forbidden',
    text: 'the account may not delete providers',
    remedy:
      'use an account that may delete authentication providers, as the administration guide of the system says',
    evidence: `${ANCESTOR}, code 3000`,
  },
  {
    of: 'deletion',
    status: 403,
    reason: 'forbidden',
    remedy:
      'use an account that may delete authentication providers; if it may, the system may refuse the host name in base_url (list of accepted server names)',
    evidence: 'REST references; since ECS 3.8 for host names',
  },
  {
    status: [402, 599],
    words: ROLE_WORDS,
    reason: 'forbidden',
    text: NO_ROLE,
    evidence: `ObjectScale 4.3 (500 with code 6401); ${ANCESTOR} (403 with code 3000)`,
  },
  {
    codes: [3000, 1026],
    reason: 'forbidden',
    text: NO_ROLE,
    evidence: `${ANCESTOR}; 1026: table of codes of python-ecsclient`,
  },
  {
    codes: [6401],
    reason: 'auth',
    text: 'a proxy of the system hides why it refuses the token',
    remedy:
      'renew the token, and check the services of the system; this is the response to a refused token, and to other failures',
    evidence: `${ANCESTOR}: the page of nginx for 401`,
  },
  // The port.
  { status: 497, reason: 'tls', evidence: 'nginx' },
  { codes: [6497], reason: 'tls', evidence: ANCESTOR },
  {
    status: 400,
    words: /\b(sent to HTTPS port|to an HTTPS server|plain HTTP to an SSL-enabled server port)\b/i,
    reason: 'tls',
    evidence: 'nginx, Go and Apache',
  },
  // The Flux API.
  {
    of: 'query',
    codes: [6503],
    reason: 'not_found',
    text: 'the Flux API does not run, as on a Community Edition',
    evidence: 'ECS Community Editions of several releases; a build of 4.3',
  },
  // Any response with this status. 405 and 501 are those of a path that is not served with this method, or at all.
  { status: 401, reason: 'auth', evidence: 'HTTP' },
  {
    status: 403,
    reason: 'forbidden',
    evidence: 'HTTP; since ECS 3.8 for host names',
  },
  { status: [404, 405], reason: 'not_found', evidence: 'HTTP' },
  { status: 501, reason: 'not_found', evidence: 'HTTP' },
  { status: 429, reason: 'throttled', evidence: 'HTTP' },
  { status: [502, 504], reason: 'unavailable', evidence: 'HTTP' },
  { status: [500, 599], reason: 'server_error', text: REFUSED, evidence: 'HTTP' },
  { status: [400, 499], reason: 'client_error', text: REFUSED, evidence: 'HTTP' },
]
const OTHER: RefusalRow = {
  reason: 'schema',
  text: 'a response without the requested data',
  evidence: 'HTTP',
}

interface RefusedResponse {
  readonly of: RefusedRequest | undefined
  readonly status: number
  readonly code: number | undefined
  readonly words: string
}

export function meaningOf(response: RefusedResponse): RefusalRow {
  return REFUSALS.find((row) => isFor(row, response)) ?? OTHER
}

function isFor(row: RefusalRow, { of, status, code, words }: RefusedResponse): boolean {
  const [first, last] = typeof row.status === 'number' ? [row.status, row.status] : (row.status ?? [0, 999])
  return (
    (row.of === undefined || row.of === of) &&
    status >= first &&
    status <= last &&
    (row.codes === undefined || (code !== undefined && row.codes.includes(code))) &&
    (row.words?.test(words) ?? true)
  )
}

const MAX_PAUSE_MINUTES = 60

/** For how long a refused login is not repeated, in milliseconds; undefined: the cooldown decides. */
export function pauseMs({ pauseMinutes }: RefusalRow, words: string): number | undefined {
  if (pauseMinutes === undefined) return undefined
  const named = Number(/\b(\d{1,4}) min/.exec(words)?.[1] ?? pauseMinutes)
  return Math.min(Math.max(named, 1), MAX_PAUSE_MINUTES) * 60_000
}
