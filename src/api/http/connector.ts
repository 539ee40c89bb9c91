import { TLSSocket } from 'node:tls'
import type { buildConnector as UndiciConnector } from 'undici'
import type { TlsConfig } from '../../config/config.ts'
import { readTextFile } from '../../config/values/files.ts'
import { ApiError } from '../errors/errors.ts'
import { buildConnector } from './undici.ts'

type Connector = UndiciConnector.connector

/** Longest wait for a connection, TLS included; a host that is down must not use up the time of the whole poll. */
export const CONNECT_TIMEOUT_MS = 10_000

interface ConnectorOptions {
  readonly tls: TlsConfig
  readonly timeoutMs: number
  /** Called at every new connection with the end of validity of the system's certificate, in seconds since the epoch. */
  readonly onCertificate: (notAfterSeconds: number) => void
}

/** Opens connections with the TLS options of the configuration; files are read anew when they have changed. */
export function createConnector({ tls, timeoutMs, onCertificate }: ConnectorOptions): Connector {
  let current: { readonly files: string; readonly connect: Connector } | undefined

  function connectorForFiles(): Connector {
    const [ca, cert, key] = [tls.caFile, tls.certFile, tls.keyFile].map(readPem)
    const files = JSON.stringify([ca, cert, key])
    if (current?.files === files) return current.connect
    const connect = buildConnector({
      timeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
      rejectUnauthorized: !tls.insecureSkipVerify,
      allowH2: false,
      // A resumed session would show the certificate of the first one.
      maxCachedSessions: 0,
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
      ...(tls.serverName !== undefined && { servername: tls.serverName }),
    })
    current = { files, connect }
    return connect
  }

  return (options, callback) => {
    try {
      connectorForFiles()(options, (...outcome) => {
        const [, socket] = outcome
        if (socket instanceof TLSSocket) reportCertificate(socket, onCertificate)
        callback(...outcome)
      })
    } catch (failure) {
      callback(failure instanceof Error ? failure : new Error('the connection could not be prepared'), null)
    }
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
