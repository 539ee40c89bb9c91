import { sameConfig } from '../../config/config.ts'
import { ConfigError } from '../../config/values/problems.ts'
import { loadWebFile, PLAIN_WEB_FILE, type WebFile } from '../../config/web_file.ts'
import type { Log } from '../../log.ts'
import { createReadings, type Readings } from '../../values/files.ts'

interface WebState {
  /** The last valid content. */
  readonly file: WebFile
  /** The file, or a file that it names, has become invalid: only open paths may be served. */
  readonly isInvalid: boolean
}

/** Returns the current web configuration. Reads the files again if the last read is older than `checkEveryMs`. */
export type WebConfig = () => WebState

const PLAIN: WebState = { file: PLAIN_WEB_FILE, isInvalid: false }

/**
 * Loads the web configuration file and follows its changes: the file, certificates, keys and client CA take effect
 * without a restart. While a file is invalid, requests are refused. Enabling or disabling TLS needs a restart: such a
 * file counts as invalid.
 * @param now monotonic clock in milliseconds
 * @throws {ConfigError} when the file is invalid at the start
 */
export function openWebConfig(
  path: string | undefined,
  checkEveryMs: number,
  log: Log,
  now: () => number,
): WebConfig {
  if (path === undefined) return () => PLAIN
  let reading = readAll(path)
  if (reading.result instanceof ConfigError) throw reading.result
  let state: WebState = { file: reading.result, isInvalid: false }
  let checkedAt = now()
  return () => {
    if (now() - checkedAt < checkEveryMs) return state
    checkedAt = now()
    if (!reading.hasChanged()) return state
    reading = readAll(path)
    state = nextState(state, reading.result, path, log)
    return state
  }
}

function readAll(path: string): Pick<Readings, 'hasChanged'> & { readonly result: WebFile | ConfigError } {
  const { read, hasChanged } = createReadings()
  try {
    return { hasChanged, result: loadWebFile(path, read) }
  } catch (failure) {
    if (failure instanceof ConfigError) return { hasChanged, result: failure }
    throw failure
  }
}

function nextState(state: WebState, next: WebFile | ConfigError, path: string, log: Log): WebState {
  const { tls } = state.file
  const reason = next instanceof ConfigError ? next.summary() : tlsChangeProblem(tls, next.tls)
  if (next instanceof ConfigError || reason !== undefined) {
    log.error('web configuration file is invalid, requests are refused until it is corrected', {
      path,
      reason,
    })
    return { ...state, isInvalid: true }
  }
  log.info('web configuration file reloaded', { path })
  // Unchanged TLS settings stay the same object: connections are compared with the current settings by identity.
  return { file: sameConfig(tls, next.tls) ? { ...next, tls } : next, isInvalid: false }
}

function tlsChangeProblem(old: WebFile['tls'], next: WebFile['tls']): string | undefined {
  if ((old === undefined) === (next === undefined)) return undefined
  return `TLS was ${next === undefined ? 'disabled' : 'enabled'}, which needs a restart`
}
