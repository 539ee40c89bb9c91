import { type RequestOptions, request } from 'node:http'
import { request as requestTls } from 'node:https'
import { Command } from 'commander'
import { loadWebFile } from '../config/web/file.ts'
import { type ListenAddress, parseListenAddress } from '../server/listener/listen_address.ts'
import { Failed } from './cli/exit.ts'
import { parseAddress } from './cli/flags.ts'

interface Flags {
  'web.listenAddress': string
  'web.config.file'?: string
}

const HEALTHY_PATH = '/-/healthy'
const TIMEOUT_MS = 3000

/** A health check for container images without shell and curl. */
export function healthCommand(): Command {
  return new Command('health')
    .description('check that the exporter on this machine is healthy; for health checks of containers')
    .option(
      '--web.listen-address <address>',
      '--web.listen-address of the running exporter',
      parseAddress,
      ':9438',
    )
    .option('--web.config.file <file>', '--web.config.file of the running exporter')
    .action(health)
}

async function health(flags: Flags): Promise<void> {
  const { host, port } = localAddress(parseListenAddress(flags['web.listenAddress']))
  const certificate = flags['web.config.file'] && loadWebFile(flags['web.config.file']).tls?.cert
  const url = `${certificate ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}${HEALTHY_PATH}`
  const status = await statusOf({ host, port, path: HEALTHY_PATH }, certificate || undefined).catch(
    (failure: Error) => {
      throw new Failed(`${url} is not reachable: ${failure.message}`)
    },
  )
  if (status !== 200) throw new Failed(`${url} responded with status ${status}, expected 200`)
  process.stdout.write('healthy\n')
}

/** The address at which a listener is reached from its own machine. */
function localAddress({ host, port }: ListenAddress): { host: string; port: number } {
  if (host === undefined || host === '0.0.0.0') return { host: '127.0.0.1', port }
  return { host: host === '::' ? '::1' : host, port }
}

/** @param certificate PEM of the listener; only this certificate is trusted, with any name */
function statusOf(to: RequestOptions, certificate: string | undefined): Promise<number> {
  const options = { ...to, agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) } as const
  return new Promise((resolve, reject) => {
    const outgoing =
      certificate === undefined
        ? request(options)
        : requestTls({
            ...options,
            ca: certificate,
            allowPartialTrustChain: true,
            checkServerIdentity: () => undefined,
          })
    outgoing.once('error', reject)
    outgoing.once('response', (answer) => {
      answer.resume()
      answer.once('end', () => resolve(answer.statusCode ?? 0))
      answer.once('error', reject)
    })
    outgoing.end()
  })
}
