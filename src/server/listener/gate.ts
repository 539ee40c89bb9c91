import type { IncomingMessage, ServerResponse } from 'node:http'
import { HttpError } from '../../values/http_error.ts'
import { clientAddress } from '../auth/addresses.ts'
import type { BasicAuth } from '../auth/basic_auth.ts'
import { type AcceptedRequests, checkRequest, rawPath } from '../auth/request_check.ts'
import type { TlsServer } from './tls_server.ts'
import type { WebConfig } from './web_config.ts'

/** Resolves to the error of a request that may not reach its handler. */
export type Gate = (request: IncomingMessage, response: ServerResponse) => Promise<HttpError | undefined>

export interface GateOptions {
  readonly web: WebConfig
  readonly auth: BasicAuth
  /** Undefined for plain HTTP. */
  readonly checkConnection: TlsServer['check'] | undefined
  readonly openPaths: readonly string[]
  readonly accepted: AcceptedRequests
}

const INVALID_CONFIG = new HttpError(500, 'internal server error', { Connection: 'close' })

/** In this order: form, open paths, validity of the web configuration, certificate, user. */
export function createGate(options: GateOptions): Gate {
  const { web, auth, checkConnection, openPaths, accepted } = options
  return async (request, response) => {
    const malformed = checkRequest(request, accepted)
    if (malformed !== undefined) return malformed
    const { file, isInvalid } = web()
    if (openPaths.includes(rawPath(request))) return undefined
    if (isInvalid) return INVALID_CONFIG
    const untrusted = file.tls && checkConnection?.(request, response, file.tls)
    if (untrusted !== undefined) return untrusted
    if (file.users.size === 0) return undefined
    return auth.check(request.headers.authorization, clientAddress(request.socket), file.users)
  }
}
