import type { DocumentFormat, Members } from './format.ts'

/** An error of the storage system. Its body has the members code, description, details and retryable. */
interface ErrorRow {
  readonly status: number
  readonly code: number
  readonly description: string
  readonly retryable?: boolean
}

export const ERRORS = {
  badParameter: { status: 400, code: 1008, description: 'Parameter was provided but invalid' },
  notAUrn: { status: 400, code: 1013, description: 'Parameter is not a valid URI' },
  badRange: { status: 400, code: 1014, description: 'Parameter is out of the valid range' },
  badTime: { status: 400, code: 1029, description: 'Parameter is not a valid time' },
  badCredentials: { status: 401, code: 401, description: 'Unauthorized' },
  unauthenticated: {
    status: 401,
    code: 4000,
    description: 'Invalid credentials or authentication token provided to access to this resource',
  },
  forbidden: {
    status: 403,
    code: 3000,
    description: 'This operation is forbidden for this resource using the specified credentials',
  },
  notFound: { status: 404, code: 2000, description: 'Unable to find entity in request URL' },
  wrongMethod: { status: 405, code: 1007, description: 'Method is not supported by this resource' },
  mediaType: { status: 415, code: 1003, description: 'The media type of the body is not supported' },
  failure: { status: 500, code: 999, description: 'Unexpected error' },
  noPermission: { status: 500, code: 6401, description: 'Insufficient permissions' },
  unreachable: {
    status: 503,
    code: 6503,
    description: 'Unable to connect to the service. The service is unavailable, try again later.',
    retryable: true,
  },
  unavailable: {
    status: 503,
    code: 6000,
    description: 'The service is currently unavailable',
    retryable: true,
  },
} as const satisfies Record<string, ErrorRow>
export type ErrorName = keyof typeof ERRORS

/** A request is refused. The HTTP layer writes it as a body in the requested format, or in its own. */
export class EmulatedError extends Error {
  readonly status: number
  /** Of the body, in the order in which they are written. */
  readonly members: Members
  readonly headers: Readonly<Record<string, string>>
  readonly format?: DocumentFormat
  constructor(name: ErrorName, details: string, headers: Readonly<Record<string, string>> = {}) {
    const { status, code, description, retryable = false }: ErrorRow = ERRORS[name]
    super(`${description}: ${details}`)
    this.name = 'EmulatedError'
    this.status = status
    this.headers = headers
    const isLogin = name === 'badCredentials'
    this.members = { code, description, ...(details !== '' && { details }), ...(!isLogin && { retryable }) }
  }
}

/** @throws EmulatedError 404 with code 2000 if there is none */
export function findBy<T>(items: readonly T[], id: string, isMeant: (item: T) => boolean): T {
  const found = items.find(isMeant)
  if (found !== undefined) return found
  throw new EmulatedError('notFound', `Unable to find entity specified in URL with the given id ${id}`)
}

/** A query is refused by the query service, which has error bodies of its own, in JSON only: `{"error": "…"}`. */
export class QueryError extends EmulatedError {
  override readonly status: number
  override readonly members: Members
  override readonly format = 'json'
  constructor(message: string, status = 500) {
    super('failure', message)
    this.name = 'QueryError'
    this.status = status
    this.members = { error: message }
  }
}
