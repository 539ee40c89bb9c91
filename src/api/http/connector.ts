import { isIP, type LookupFunction } from 'node:net'
import { TLSSocket } from 'node:tls'
import { buildConnector } from 'undici'
import type { TlsConfig } from '../../config/config.ts'
import { readTextFile } from '../../values/files.ts'
import { ApiError } from '../errors/errors.ts'
import type { Lookup } from './lookup.ts'

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

type Addresses = Awaited<ReturnType<Lookup>>

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
