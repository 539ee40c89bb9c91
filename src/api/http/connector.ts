import { type LookupAddress, TIMEOUT } from 'node:dns'
import { lookup as getaddrinfo, Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { isIP, type LookupFunction } from 'node:net'
import { TLSSocket } from 'node:tls'
import { buildConnector } from 'undici'
import type { TlsConfig } from '../../config/config.ts'
import { errorCode } from '../../values/errors.ts'
import { readTextFile } from '../../values/files.ts'
import { ApiError } from '../errors/errors.ts'
import { createSemaphore, untilAborted, withDeadline } from './waiting.ts'

type Connector = buildConnector.connector

/** Longest wait for a connection, with lookup and TLS: a host that is down must not take the time of the whole poll. */
export const CONNECT_TIMEOUT_MS = 10_000

interface ConnectorOptions {
  readonly tls: TlsConfig
  readonly timeoutMs: number
  readonly lookup: Lookup
  /** Called at every new connection with the end of validity of the system's certificate, in seconds since the epoch. */
  readonly onCertificate?: (notAfterSeconds: number) => void
}

/** Opens connections with the TLS options of the configuration; files are read for each connection. */
export function createConnector({ tls, timeoutMs, lookup, onCertificate }: ConnectorOptions): Connector {
  const connectMs = Math.min(CONNECT_TIMEOUT_MS, timeoutMs)

  async function prepare(hostname: string): Promise<Connector> {
    const deadline = performance.now() + connectMs
    const addresses = isIP(hostname) === 0 ? await addressesOf(hostname) : undefined
    return buildConnector({
      // 0 would be no limit.
      timeout: Math.max(1, deadline - performance.now()),
      allowH2: false,
      // A resumed session would show the certificate of the first one.
      maxCachedSessions: 0,
      ...(addresses !== undefined && { lookup: staticLookup(addresses) }),
      ...tlsOptions(tls),
    })
  }

  async function addressesOf(hostname: string): Promise<Addresses> {
    try {
      return await lookup(hostname, AbortSignal.timeout(connectMs))
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      throw new ApiError('dns', 'the name server did not answer in time', { cause: failure })
    }
  }

  return (options, callback) => {
    const opened: typeof callback = (...outcome) => {
      const [, socket] = outcome
      if (socket instanceof TLSSocket && onCertificate) reportCertificate(socket, onCertificate)
      callback(...outcome)
    }
    prepare(options.hostname).then(
      (connect) => connect(options, opened),
      (failure: Error) => callback(failure, null),
    )
  }
}

function staticLookup(addresses: Addresses): LookupFunction {
  return (_hostname, { all }, callback) => {
    const [first] = addresses
    if (all) callback(null, [...addresses])
    else callback(null, first?.address ?? '', first?.family)
  }
}

/** The TLS options of Node.js; reads the files. @throws {ApiError} `local` if one cannot be read */
export function tlsOptions({ caFile, certFile, keyFile, serverName, insecureSkipVerify }: TlsConfig) {
  const [ca, cert, key] = [caFile, certFile, keyFile].map(readPem)
  return {
    rejectUnauthorized: !insecureSkipVerify,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(serverName !== undefined && { servername: serverName }),
  }
}

function readPem(file: string | undefined): string | undefined {
  if (file === undefined) return undefined
  const read = readTextFile(file, 'pem')
  if ('problem' in read) throw new ApiError('local', `the file ${file} of tls_config ${read.problem}`)
  return read.text
}

function reportCertificate(socket: TLSSocket, report: (notAfterSeconds: number) => void): void {
  const { valid_to: validTo } = socket.getPeerCertificate()
  const notAfterMs = validTo === undefined ? Number.NaN : Date.parse(validTo)
  if (Number.isFinite(notAfterMs)) report(notAfterMs / 1000)
}

type Addresses = readonly LookupAddress[]

/**
 * The addresses of a host name, as the operating system knows them: hosts file, search domains and both families.
 * @throws the error of getaddrinfo; {@link ApiError} `timeout` when the signal aborts as a timeout
 */
export type Lookup = (name: string, signal: AbortSignal) => Promise<Addresses>

export interface LookupSources {
  /** Takes a thread of libuv for as long as the name servers do not respond; it cannot be cancelled. */
  readonly addresses: (name: string) => Promise<Addresses>
  /** Whether the name servers respond, so that `addresses` ends soon. */
  readonly isAnswered: (name: string) => Promise<boolean>
}

/** A lookup that takes longer hangs. */
const PROMPT_MS = 1000

interface Name {
  lookup?: Promise<Addresses>
  last?: Addresses
  /** Whether the last lookup ended within {@link PROMPT_MS}. */
  wasPrompt: boolean
}

/**
 * Lookups for all systems of the process. One runs for a name, shared by all that wait; while it hangs, the last addresses
 * are used. Two of libuv's threads are used: one for names whose name servers respond, and one for the others, so that
 * these cannot delay the first. Each is FIFO.
 */
export function createLookup(sources: LookupSources = SYSTEM): Lookup {
  const answered = createSemaphore(1)
  const others = createSemaphore(1)
  // As many as there are host names in configurations.
  const names = new Map<string, Name>()

  async function run(text: string, name: Name): Promise<Addresses> {
    const thread = name.wasPrompt || (await sources.isAnswered(text)) ? answered : others
    return thread.run(async () => {
      const beganAt = performance.now()
      try {
        name.last = await sources.addresses(text)
        return name.last
      } finally {
        name.wasPrompt = performance.now() - beganAt < PROMPT_MS
      }
    })
  }

  return async (text, signal) => {
    const name = names.get(text) ?? { wasPrompt: false }
    names.set(text, name)
    name.lookup ??= run(text, name).finally(() => delete name.lookup)
    const { lookup, last } = name
    if (last === undefined) return untilAborted(lookup, signal)
    try {
      return await withDeadline(signal, PROMPT_MS, (prompt) => untilAborted(lookup, prompt))
    } catch (failure) {
      // The name servers answered that the name has no address.
      if (errorCode(failure) === 'ENOTFOUND') throw failure
      return last
    }
  }
}

const SYSTEM: LookupSources = {
  addresses: (name) => getaddrinfo(name, { all: true }),
  async isAnswered(name) {
    if (hostsFile().split(/\s+/).includes(name)) return true
    // c-ares takes no thread. Its answers are not used: it knows neither search domains nor other sources than DNS.
    const resolver = new Resolver({ timeout: PROMPT_MS, tries: 1 })
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    return answers.every((answer) => answer.status === 'fulfilled' || errorCode(answer.reason) !== TIMEOUT)
  },
}

function hostsFile(): string {
  try {
    return readFileSync('/etc/hosts', 'utf8')
  } catch {
    return ''
  }
}
