/** An error of the storage system. Its body has the members code, description, details and retryable. */
interface ErrorRow {
  readonly status: number
  readonly code: number
  readonly description: string
  readonly retryable?: true
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

/** A request is refused. The HTTP layer writes it as a body in the requested format. */
export class EmulatedError extends Error {
  readonly row: ErrorRow
  readonly details: string
  readonly headers: Readonly<Record<string, string>>
  constructor(name: ErrorName, details: string, headers: Readonly<Record<string, string>> = {}) {
    super(`${ERRORS[name].description}: ${details}`)
    this.name = 'EmulatedError'
    this.row = ERRORS[name]
    this.details = details
    this.headers = headers
  }
}

/** @throws EmulatedError 404 with code 2000 if there is none */
export function findBy<T>(items: readonly T[], id: string, isMeant: (item: T) => boolean): T {
  const found = items.find(isMeant)
  if (found !== undefined) return found
  throw new EmulatedError('notFound', `Unable to find entity specified in URL with the given id ${id}`)
}

/** The members of an error body, in the order in which they are written. Refused logins have no `retryable`. */
export function bodyOf(error: EmulatedError) {
  const { code, description, retryable } = error.row
  const body = { code, description, ...(error.details !== '' && { details: error.details }) }
  return code === ERRORS.badCredentials.code ? body : { ...body, retryable: retryable ?? false }
}

/** A query is refused by the query service, which has error bodies of its own: `{"error": "…"}`. */
export class QueryError extends Error {
  readonly status: number
  constructor(message: string, status = 500) {
    super(message)
    this.name = 'QueryError'
    this.status = status
  }
}
