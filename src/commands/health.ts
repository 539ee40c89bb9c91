import { Command } from 'commander'
import { Agent, request } from 'undici'
import { loadWebFile } from '../config/web_file.ts'
import { errorCode, errorText } from '../values/errors.ts'
import { parseListenAddress, urlHost } from '../values/listen_address.ts'
import { CommandError } from './cli/exit.ts'
import { addFlags, type FlagsOf, type FlagTable, parseAddress } from './cli/flags/table.ts'

const FLAGS = {
  '--web.listen-address <address>': {
    description: '--web.listen-address of the running exporter',
    parse: parseAddress,
    default: ':9438',
  },
  '--web.config.file <file>': '--web.config.file of the running exporter',
} as const satisfies FlagTable

/** A health check for container images without shell and curl. */
export function healthCommand(): Command {
  const command = new Command('health').description(
    'check that the exporter on this machine is healthy; for health checks of containers',
  )
  return addFlags(command, FLAGS).action(health)
}

async function health(flags: FlagsOf<typeof FLAGS>): Promise<void> {
  const file = flags['web.config.file']
  const certificate = file === undefined ? undefined : loadWebFile(file).tls?.cert
  const url = `${certificate === undefined ? 'http' : 'https'}://${localHost(flags['web.listenAddress'])}/-/healthy`
  const status = await statusOf(url, certificate).catch((failure: unknown) => {
    throw new CommandError(`${url} is not reachable: ${reasonOf(failure)}`)
  })
  if (status !== 200) throw new CommandError(`${url} responded with status ${status}, expected 200`)
  process.stdout.write('healthy\n')
}

/** Host and port at which a listener is reached from its own machine. */
function localHost(address: string): string {
  const { host = '0.0.0.0', port } = parseListenAddress(address)
  return `${urlHost(host)}:${port}`
}

const TIMEOUT_MS = 3000

/** @param certificate PEM of the listener; only this certificate is trusted, with any name. Undefined: without TLS */
async function statusOf(url: string, certificate: string | undefined): Promise<number> {
  const trust = { ca: certificate, allowPartialTrustChain: true, checkServerIdentity: () => undefined }
  const dispatcher = new Agent({ connect: trust })
  try {
    return (await request(url, { dispatcher, signal: AbortSignal.timeout(TIMEOUT_MS) })).statusCode
  } finally {
    await dispatcher.destroy()
  }
}

function reasonOf(failure: unknown): string {
  if (errorCode(failure) !== 'UND_ERR_SOCKET') return errorText(failure)
  return 'no HTTP response; if the exporter serves TLS, set --web.config.file'
}
