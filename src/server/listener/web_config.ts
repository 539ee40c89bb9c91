import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { readTextFile } from '../../config/values/files.ts'
import { ConfigError } from '../../config/values/problems.ts'
import { loadWebFile, PLAIN_WEB_FILE, type WebFile } from '../../config/web/file.ts'
import type { ReadText, WebTls } from '../../config/web/tls.ts'
import type { Log } from '../../log.ts'

/** What the web configuration file says at this moment. */
export interface WebState {
  /** The last good reading. */
  readonly file: WebFile
  /** The file, or one that it names, is bad since: nothing may be served but what is open to everybody. */
  readonly isBroken: boolean
}

/** The web configuration in force. Asking may read files, at most once in the interval given. */
export type WebConfig = () => WebState

export interface WebConfigOptions {
  readonly path: string | undefined
  readonly log: Log
  /** A clock in milliseconds that never goes back. */
  readonly now: () => number
  readonly checkEveryMs: number
}

const PLAIN: WebState = { file: PLAIN_WEB_FILE, isBroken: false }

/**
 * Opens the web configuration file and keeps up with it: the file, certificates, keys and client CA are read again
 * (a few kilobytes; contents are compared, so that symbolic links, renames and coarse clocks cannot deceive) and take
 * effect without a restart. A file that turns bad fails closed until it is good again. Whether there is TLS at all
 * cannot change without a restart either: such a file counts as bad.
 * @throws {ConfigError} when the file is bad at the start
 */
export function openWebConfig({ path, log, now, checkEveryMs }: WebConfigOptions): WebConfig {
  if (path === undefined) return () => PLAIN
  let reading = readAll(path)
  if (reading.result instanceof ConfigError) throw reading.result
  let state: WebState = { file: reading.result, isBroken: false }
  let checkedAt = now()
  return () => {
    if (now() - checkedAt < checkEveryMs) return state
    checkedAt = now()
    if (!hasChanged(reading)) return state
    reading = readAll(path)
    state = nextState(state, reading.result, path, log)
    return state
  }
}

/** One reading of everything, and the digests by which a change is found. */
interface Reading {
  readonly digests: ReadonlyMap<string, string>
  readonly result: WebFile | ConfigError
}

function readAll(path: string): Reading {
  const digests = new Map<string, string>()
  const read: ReadText = (name) => {
    const outcome = readTextFile(name)
    digests.set(name, digestOf(outcome))
    return outcome
  }
  try {
    return { digests, result: loadWebFile(path, read) }
  } catch (failure) {
    if (failure instanceof ConfigError) return { digests, result: failure }
    throw failure
  }
}

function hasChanged({ digests }: Reading): boolean {
  return [...digests].some(([name, digest]) => digestOf(readTextFile(name)) !== digest)
}

function digestOf(outcome: ReturnType<ReadText>): string {
  return createHash('sha256').update(JSON.stringify(outcome)).digest('base64')
}

function nextState(state: WebState, result: WebFile | ConfigError, path: string, log: Log): WebState {
  const reason = result instanceof ConfigError ? result.message : transportProblem(state.file, result)
  if (result instanceof ConfigError || reason !== undefined) {
    log.error('web configuration file: bad, requests are refused until it is good', { path, reason })
    return { ...state, isBroken: true }
  }
  log.info('web configuration file: read again', { path })
  return { file: keepTls(state.file, result), isBroken: false }
}

function transportProblem(old: WebFile, next: WebFile): string | undefined {
  if ((old.tls === undefined) === (next.tls === undefined)) return undefined
  return `TLS was turned ${next.tls === undefined ? 'off' : 'on'}, which needs a restart`
}

/** Equal settings stay one object, by which connections made under others are known. */
function keepTls(old: WebFile, next: WebFile): WebFile {
  if (old.tls === undefined || next.tls === undefined || !isSameTls(old.tls, next.tls)) return next
  return { ...next, tls: old.tls }
}

function isSameTls(a: WebTls, b: WebTls): boolean {
  return a.key.equals(b.key) && isDeepStrictEqual({ ...a, key: undefined }, { ...b, key: undefined })
}
