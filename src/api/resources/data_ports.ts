import { isIP } from 'node:net'
import type { SystemConfig } from '../../config/config.ts'
import type { DataPortConfig } from '../../config/sections.ts'
import { ApiError, asApiError } from '../errors/errors.ts'
import { createExchanges, type ExchangesOptions } from '../http/exchanges.ts'
import { refusalOf } from '../http/refusals.ts'
import { withDeadline } from '../http/waiting.ts'
import { parseBody } from '../parse/xml.ts'
import { kindOf } from './objects.ts'

const KIND = kindOf('dataNode')
const [PATH = '', QUERY = ''] = KIND.path.split('?')
/** Of one node, with the connection. */
const TIMEOUT_MS = 5000
/** A response has about 300 characters. */
const MAX_RESPONSE_BYTES = 65_536
/** Each node is asked once an interval: no connection stays open. */
const HEADERS = { Accept: 'application/xml', Connection: 'close' }

/** Requests of the data ports of nodes, for one reading. */
export type DataPorts = ReturnType<ReturnType<typeof createDataPorts>>

interface DataPortsOptions extends Pick<ExchangesOptions, 'observer' | 'httpLimits'> {
  readonly system: Pick<SystemConfig, 'name' | 'limits' | 'poll'>
}

/** Not with the session of the exporter: no token is sent, and failures say nothing of the management API. */
export function createDataPorts({ system, observer, ...options }: DataPortsOptions) {
  const { exchanged, received } = observer
  const { limits, poll } = system
  const timeoutMs = Math.min(poll.timeoutMs, TIMEOUT_MS)
  return ({ tls, scheme, port, maintenance }: DataPortConfig) => {
    const { exchange, close } = createExchanges({
      ...options,
      ...{ tls, timeoutMs, isOwn: false, pace: async () => undefined },
      limits: { ...limits, maxResponseBytes: Math.min(limits.maxResponseBytes, MAX_RESPONSE_BYTES) },
      observer: { exchanged, ...(received && { received }) },
    })
    // The maintenance mode costs the node more than the number of connections.
    const query = maintenance ? QUERY : `${QUERY}&item=load-factor`
    const request = { operation: KIND.resource, path: PATH, query, headers: HEADERS }
    return {
      close,
      /** Only an address is requested, so that a list of nodes cannot name another host, port or path. @throws {ApiError} */
      async read<T>(address: string, signal: AbortSignal, decode: (body: unknown) => T): Promise<T> {
        const url = `${scheme}://${isIP(address) === 6 ? `[${address}]` : address}:${port}`
        try {
          if (isIP(address) === 0 || !URL.canParse(url)) throw new ApiError('not_found', NO_ADDRESS)
          return await withDeadline(signal, timeoutMs, async (bounded) => {
            const response = await exchange(request, url, bounded)
            const refusal = refusalOf(response, 'resource')
            if (refusal !== undefined) throw refusal
            return response.decode((text) => decode(parseBody(text)))
          })
        } catch (failure) {
          signal.throwIfAborted()
          throw asApiError(failure, { system: system.name, operation: KIND.resource, path: KIND.path })
        }
      },
    }
  }
}

const NO_ADDRESS = 'the list of nodes has no data address (data_ip) of the node'
