import type { IncomingMessage, ServerResponse } from 'node:http'
import { type BucketSize, createTokenBucket, type TokenBucket } from '../../values/token_bucket.ts'
import { clientAddress } from '../auth/addresses.ts'
import type { BasicAuth } from '../auth/basic_auth.ts'
import { type AcceptedRequests, checkRequest, type Refusal, rawPath } from '../auth/request_check.ts'
import type { TlsServer } from './tls_server.ts'
import type { WebConfig } from './web_config.ts'

/** Resolves to the refusal of a request, or undefined if the request may reach its handler. */
export type Gate = (request: IncomingMessage, response: ServerResponse) => Promise<Refusal | undefined>

export interface GateOptions {
  readonly web: WebConfig
  readonly auth: BasicAuth
  /** Undefined for plain HTTP. */
  readonly checkConnection: TlsServer['check'] | undefined
  readonly openPaths: readonly string[]
  readonly accepted: AcceptedRequests
  readonly now: () => number
}

const INVALID_CONFIG: Refusal = { status: 500, text: 'internal server error', isLast: true }
const TOO_MANY: Refusal = { status: 429, text: 'too many requests', headers: { 'Retry-After': '1' } }

/** In this order: form, open paths, validity of the web configuration, certificate, rate limit, user. */
export function createGate(options: GateOptions): Gate {
  const { web, auth, checkConnection, openPaths, accepted, now } = options
  const isWithinRate = createRateLimiter(now)
  return async (request, response) => {
    const malformed = checkRequest(request, accepted)
    if (malformed !== undefined) return malformed
    const { file, isInvalid } = web()
    if (openPaths.includes(rawPath(request))) return undefined
    if (isInvalid) return INVALID_CONFIG
    const untrusted = file.tls && checkConnection?.(request, response, file.tls)
    if (untrusted !== undefined) return untrusted
    if (!isWithinRate(file.rateLimit)) return TOO_MANY
    if (file.users.size === 0) return undefined
    return auth.check(request.headers.authorization, clientAddress(request.socket), file.users)
  }
}

/** One bucket for all clients, replaced when its configured size changes. */
function createRateLimiter(now: () => number) {
  let size: BucketSize | undefined
  let bucket: TokenBucket | undefined
  return (limit: BucketSize | undefined): boolean => {
    if (limit?.burst !== size?.burst || limit?.intervalMs !== size?.intervalMs) {
      size = limit
      bucket = limit && createTokenBucket(limit, now)
    }
    return bucket?.take() ?? true
  }
}
