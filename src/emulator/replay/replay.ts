import type { Recording } from '../../recording/format.ts'
import type { Emulator } from '../emulator.ts'
import { createFaults } from '../faults/active.ts'
import { faultMiddleware } from '../faults/middleware.ts'
import { parseFault } from '../faults/table.ts'
import { createApp, type Service } from '../http/app.ts'
import { createRequestLog } from '../http/request_log.ts'
import { SESSION_HANDLERS } from '../http/routes.ts'
import { createSessions } from '../http/sessions.ts'
import { createListener } from '../listener.ts'
import { type EmulatorOptions, resolveOptions } from '../options.ts'
import { createAnswers } from './answers.ts'
import { poolsIn } from './pools.ts'

/** A storage system that serves a recording. */
export type Replay = Pick<
  Emulator,
  'start' | 'stop' | 'url' | 'certificate' | 'pools' | 'log' | 'liveSessions'
>

/** Those that do not describe the storage system itself. */
export type ReplayOptions = Pick<
  EmulatorOptions,
  'listenAddress' | 'tls' | 'faults' | 'expiredToken' | 'sessions' | 'clock'
>

const MS_PER_SECOND = 1_000

/**
 * Serves the answers of a recording, with times moved to now. Login and roles are those of the emulator; other requests
 * that were not recorded are refused with 404. @throws RangeError for an invalid fault
 */
export function createReplay(recording: Recording, options: ReplayOptions = {}): Replay {
  const settings = resolveOptions(options)
  const { clock } = settings
  const sessions = createSessions(clock, settings.sessions)
  const pools = poolsIn(recording)
  const faults = createFaults(pools, () => Math.floor(clock() / MS_PER_SECOND), sessions.limitUses)
  faults.set(settings.faults.map((fault) => parseFault(fault)))
  const recorder = createRequestLog(clock)
  const listener = createListener(settings.listenAddress, settings.tls)
  const answer = createAnswers(recording)
  const handle: Service['handle'] = (operation, request) =>
    operation in SESSION_HANDLERS
      ? SESSION_HANDLERS[operation as keyof typeof SESSION_HANDLERS]({ sessions }, request)
      : answer(operation, request)
  const app = createApp({ sessions, handle }, options.expiredToken ?? '302', [
    recorder.middleware,
    faultMiddleware(faults, clock, listener.stopping),
  ])
  return {
    get url() {
      return listener.url()
    },
    get certificate() {
      return listener.certificate()
    },
    pools: pools.map(({ id, name }) => ({ id, name, nodes: [] })),
    log: recorder.log,
    liveSessions: sessions.live,
    start: () => listener.open(app.callback()),
    stop: listener.close,
  }
}
