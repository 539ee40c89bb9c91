import { type ListenAddress, parseListenAddress } from '../../values/listen_address.ts'
import { CommandError } from '../cli/exit.ts'

/** `--web.listen-address` of an exporter that is started without this flag. */
export const DEFAULT_WEB_ADDRESS = ':9438'

const HEALTHY_PATH = '/-/healthy'
const TIMEOUT_MS = 3000

/**
 * Asks the exporter on this machine whether it is healthy. Containers run this every few seconds, so it loads little:
 * packages only with a web configuration file, and not even node:http, which takes a quarter of the CPU time of the start
 * of Node.js. undici would take 110 ms more.
 * @param listenAddress `--web.listen-address` of the exporter
 * @param webConfigFile `--web.config.file` of the exporter
 * @returns what the command prints
 * @throws {CommandError} when it is not healthy
 * @throws {ListenError} when the address is invalid
 */
export async function checkHealth(listenAddress: string, webConfigFile: string | undefined): Promise<string> {
  const { host, port } = localAddress(parseListenAddress(listenAddress))
  const certificate = webConfigFile === undefined ? undefined : await certificateOf(webConfigFile)
  const scheme = certificate === undefined ? 'http' : 'https'
  const url = `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}${HEALTHY_PATH}`
  const status = await statusOf(host, port, certificate).catch((failure: Error) => {
    throw new CommandError(`${url} is not reachable: ${failure.message}`)
  })
  if (status !== 200) throw new CommandError(`${url} responded with status ${status}, expected 200`)
  return 'healthy'
}

/** PEM of the certificate that the listener uses with this web configuration file; undefined without TLS. */
async function certificateOf(file: string): Promise<string | undefined> {
  const { loadWebFile } = await import('../../config/web/file.ts')
  return loadWebFile(file).tls?.cert
}

/** The address at which a listener is reached from its own machine. */
function localAddress({ host, port }: ListenAddress): { host: string; port: number } {
  if (host === undefined || host === '0.0.0.0') return { host: '127.0.0.1', port }
  return { host: host === '::' ? '::1' : host, port }
}

/** Enough for the first line of a response. */
const MAX_CHARACTERS = 200

/** @param certificate PEM of the listener; only this certificate is trusted, with any name. Undefined: without TLS */
function statusOf(host: string, port: number, certificate: string | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    const trust = { ca: certificate, allowPartialTrustChain: true, checkServerIdentity: () => undefined }
    // Not by import statements, which would evaluate parts that are not needed.
    const socket =
      certificate === undefined
        ? process.getBuiltinModule('node:net').connect({ host, port })
        : process.getBuiltinModule('node:tls').connect({ host, port, ...trust })
    const late = new Error(`no response within ${TIMEOUT_MS} ms`)
    const timer = setTimeout(() => socket.destroy(late), TIMEOUT_MS)
    let text = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      if (text.length < MAX_CHARACTERS) text += chunk
    })
    socket.once('error', reject)
    socket.once('close', () => {
      clearTimeout(timer)
      const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(text) ?? []
      if (status !== undefined) resolve(Number(status))
      else reject(new Error('no HTTP response; if the exporter serves TLS, set --web.config.file'))
    })
    socket.write(`GET ${HEALTHY_PATH} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  })
}
