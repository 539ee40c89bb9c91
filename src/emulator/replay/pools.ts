import type { Recording } from '../../recording/format.ts'
import { isObject } from './values.ts'

interface RecordedPool {
  readonly id: string
  readonly uuid: string
  readonly name: string
}

/** The pools of the lists in a recording. */
export function poolsIn({ exchanges }: Recording): RecordedPool[] {
  const lists = exchanges
    .filter(({ request, status }) => request.operation === 'pools' && status === 200)
    .flatMap(({ body }) => entriesOf(body))
  const pools = lists.flatMap(({ id, name }) =>
    typeof id === 'string' ? [{ id, uuid: id.replace(/^.*:/, ''), name: String(name ?? id) }] : [],
  )
  return [...new Map(pools.map((pool) => [pool.id, pool])).values()]
}

function entriesOf(body: unknown): Readonly<Record<string, unknown>>[] {
  if (!isObject(body)) return []
  const embedded = isObject(body['_embedded']) ? body['_embedded'] : body
  return [embedded['_instances'], embedded['instances'], embedded['varray']]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .filter(isObject)
}
