import type { Context } from 'koa'
import { HttpError } from '../../values/http_error.ts'
import type { ResponseSlots } from '../response_slots.ts'
import type { ProbeSources } from './probe.ts'

const HOST = /^(\[[\da-f:.]+\]|[a-z\d._-]+)(:\d{1,5})?$/i
const BAD_HOST = new HttpError(
  400,
  'The header Host must have a host name or an address: that of the targets.',
)
const HELD = { group: 'sd', exposition: {} } as const

/**
 * Handles `GET /sd`: one target group of `http_sd_configs` for each system, under the address that the client used, which is that of a Service or
 * of a proxy if there is one.
 */
export function createServiceDiscovery(
  { systems }: Pick<ProbeSources, 'systems'>,
  slots: ResponseSlots,
): (context: Context) => void {
  return (context) => {
    const { host = '' } = context.req.headers
    if (!HOST.test(host)) throw BAD_HOST
    slots.take(context.res, HELD)
    const scheme = 'encrypted' in context.req.socket ? { __scheme__: 'https' } : {}
    const groups = systems().map(({ name, labels }) => ({
      targets: [host],
      // All targets have one address; without an instance of their own, their series `up` would be the same.
      labels: { ...labels, instance: name, __metrics_path__: '/probe', __param_system: name, ...scheme },
    }))
    context.body = JSON.stringify(groups)
  }
}
