import type { Recording } from '../../recording/format.ts'
import type { Service } from '../http/app.ts'
import { SESSION_HANDLERS } from '../http/routes.ts'
import { createSessions } from '../http/sessions.ts'
import { type EmulatorOptions, resolveOptions } from '../options.ts'
import { isObject, type JsonObject } from '../protocol/format.ts'
import { createSystemServer } from '../server.ts'
import { createResponder } from './responder.ts'

/** A storage system that serves a recording. */
export type Replay = ReturnType<typeof createReplay>

/** The options that do not describe the storage system itself. */
export type ReplayOptions = Pick<
  EmulatorOptions,
  'listenAddress' | 'tls' | 'faults' | 'expiredToken' | 'sessions' | 'clock'
>

/**
 * Serves the answers of a recording, with times moved to now. Login and roles are those of the emulator; other requests
 * that were not recorded are refused with 404. @throws RangeError for an invalid fault
 */
export function createReplay(recording: Recording, options: ReplayOptions = {}) {
  const settings = resolveOptions(options)
  const sessions = createSessions(settings.clock, settings.sessions)
  const pools = poolsIn(recording)
  const answer = createResponder(recording)
  const handle: Service['handle'] = (operation, request) =>
    operation in SESSION_HANDLERS
      ? SESSION_HANDLERS[operation as keyof typeof SESSION_HANDLERS]({ sessions }, request)
      : answer(operation, request)
  const expiredToken = options.expiredToken ?? '302'
  const server = createSystemServer({ settings, pools, sessions, handle, expiredToken })
  return Object.assign(server, { pools: pools.map(({ id, name }) => ({ id, name, nodes: [] })) })
}

function poolsIn({ exchanges }: Recording) {
  const lists = exchanges
    .filter(({ request, status }) => request.operation === 'pools' && status === 200)
    .flatMap(({ body }) => entriesOf(body))
  const pools = lists.flatMap(({ id, name }) =>
    typeof id === 'string' ? [{ id, uuid: id.replace(/^.*:/, ''), name: String(name ?? id) }] : [],
  )
  return [...new Map(pools.map((pool) => [pool.id, pool])).values()]
}

function entriesOf(body: unknown): JsonObject[] {
  if (!isObject(body)) return []
  const embedded = isObject(body['_embedded']) ? body['_embedded'] : body
  return [embedded['_instances'], embedded['instances'], embedded['varray']]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .filter(isObject)
}
