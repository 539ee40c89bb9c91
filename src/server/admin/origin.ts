import type { IncomingMessage } from 'node:http'
import { hasExpectedHost, isCrossSite, type OriginRules } from '../auth/origin.ts'
import { refused } from './errors.ts'

/**
 * Protects against DNS rebinding and against cross-site requests.
 * @throws {Refused} 421 or 403
 */
export function checkOrigin(request: IncomingMessage, rules: OriginRules): void {
  if (!hasExpectedHost(request, rules)) {
    throw refused('foreignHost', 'To allow this name, start the exporter with --admin.allowed-hosts=NAME')
  }
  if (isCrossSite(request, rules)) {
    throw refused('foreignOrigin', 'Browsers may send this request only from the page of this exporter')
  }
}
