import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RateLimit, WebFile } from '../../config/web/file.ts'
import { clientAddress } from '../auth/addresses.ts'
import type { BasicAuth } from '../auth/basic_auth.ts'
import type { Refusal } from '../auth/refusal.ts'
import { checkRequest, rawPath } from '../auth/request_check.ts'
import { createTokenBucket, type TokenBucket } from '../auth/token_bucket.ts'
import type { TlsServer } from './tls_server.ts'
import type { WebConfig } from './web_config.ts'

/** Decides whether a request may reach its handler. */
export type Gate = (request: IncomingMessage, response: ServerResponse) => Promise<Refusal | undefined>

export interface GateOptions {
  readonly web: WebConfig
  readonly auth: BasicAuth
  /** undefined for plain HTTP */
  readonly checkConnection: TlsServer['check'] | undefined
  readonly openPaths: readonly string[]
  readonly urlBytes: number
  readonly now: () => number
}

const BROKEN: Refusal = { status: 500, text: 'internal server error', isLast: true }
const TOO_MANY: Refusal = { status: 429, text: 'too many requests', headers: { 'Retry-After': '1' } }

/**
 * In this order: the form of the request, the open paths (which stay open whatever is wrong with the web
 * configuration), a broken web configuration, the client's certificate, the rate limit, the user.
 */
export function createGate(options: GateOptions): Gate {
  const { web, auth, checkConnection, openPaths, urlBytes, now } = options
  const isWithinRate = createRateLimiter(now)
  return async (request, response) => {
    const malformed = checkRequest(request, urlBytes)
    if (malformed !== undefined) return malformed
    const { file, isBroken } = web()
    if (openPaths.includes(rawPath(request))) return undefined
    if (isBroken) return BROKEN
    const stranger = file.tls && checkConnection?.(request, response, file.tls)
    if (stranger !== undefined) return stranger
    if (!isWithinRate(file.rateLimit)) return TOO_MANY
    return checkUser(auth, request, file)
  }
}

async function checkUser(auth: BasicAuth, request: IncomingMessage, { users }: WebFile) {
  if (users.size === 0) return undefined
  return auth.check(request.headers.authorization, clientAddress(request.socket), users)
}

/** A bucket for all clients together, made anew when the file gives it another size. */
function createRateLimiter(now: () => number) {
  let size: RateLimit | undefined
  let bucket: TokenBucket | undefined
  return (limit: RateLimit | undefined): boolean => {
    if (limit?.burst !== size?.burst || limit?.intervalMs !== size?.intervalMs) {
      size = limit
      bucket = limit && createTokenBucket(limit, now)
    }
    return bucket?.take() ?? true
  }
}
