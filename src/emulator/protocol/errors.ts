import type { DocumentFormat, Members } from './format.ts'

/** An error of the storage system. Its body has the members code, description, details and retryable. */
const row = (status: number, code: number, description: string) => ({ status, code, description })

export const ERRORS = {
  badParameter: row(400, 1008, 'Parameter was provided but invalid'),
  notAUrn: row(400, 1013, 'Parameter is not a valid URI'),
  badRange: row(400, 1014, 'Parameter is out of the valid range'),
  badTime: row(400, 1029, 'Parameter is not a valid time'),
  badCredentials: row(401, 401, 'Unauthorized'),
  unauthenticated: row(
    401,
    4000,
    'Invalid credentials or authentication token provided to access to this resource',
  ),
  forbidden: row(403, 3000, 'This operation is forbidden for this resource using the specified credentials'),
  notFound: row(404, 2000, 'Unable to find entity in request URL'),
  wrongMethod: row(405, 1007, 'Method is not supported by this resource'),
  mediaType: row(415, 1003, 'The media type of the body is not supported'),
  failure: row(500, 999, 'Unexpected error'),
  noPermission: row(500, 6401, 'Insufficient permissions'),
  unreachable: row(
    503,
    6503,
    'Unable to connect to the service. The service is unavailable, try again later.',
  ),
  unavailable: row(503, 6000, 'The service is currently unavailable'),
} as const
export type ErrorName = keyof typeof ERRORS

/** A request is refused. The HTTP layer writes it as a body in the requested format, or in its own. */
export class EmulatedError extends Error {
  readonly status: number
  /** Members of the body, in the order in which they are written. */
  readonly members: Members
  readonly headers: Readonly<Record<string, string>>
  readonly format?: DocumentFormat
  constructor(name: ErrorName, details: string, headers: Readonly<Record<string, string>> = {}) {
    const { status, code, description } = ERRORS[name]
    super(`${description}: ${details}`)
    this.name = 'EmulatedError'
    this.status = status
    this.headers = headers
    const isLogin = name === 'badCredentials'
    this.members = {
      code,
      description,
      ...(details !== '' && { details }),
      ...(!isLogin && { retryable: status === 503 }),
    }
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
