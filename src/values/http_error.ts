/** The error body of the storage system's API. */
export interface ErrorBody {
  readonly code: number
  readonly description: string
  readonly details: string
  readonly retryable: boolean
}

/** A request that is answered with an error. Its text has no details that help an attacker. */
export class HttpError extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** For the administration, whose errors have the format of the storage system. */
  readonly body: ErrorBody | undefined

  constructor(
    status: number,
    text: string,
    headers: Readonly<Record<string, string>> = {},
    body?: ErrorBody,
  ) {
    super(text)
    this.name = 'HttpError'
    this.status = status
    this.headers = headers
    this.body = body
  }
}
