import { InvalidArgumentError } from 'commander'
import type { ReceiverOptions } from '../../history/remote_write/remote_destination.ts'
import { readTextFile } from '../../values/files.ts'
import { HEADER_NAME, HEADER_VALUE } from '../../values/headers.ts'
import { passwordFromText, type Secret, tokenFromText } from '../../values/secret.ts'
import { CommandError, EXIT } from '../cli/exit.ts'
import { type FlagsOf, type FlagTable, parseHttpUrl } from '../cli/flags/table.ts'

/** Set from other flags, or by the protocol. */
const OWN_HEADERS = ['authorization', 'content-type', 'content-encoding', 'content-length', 'host']

function collectHeader(text: string, before: Readonly<Record<string, string>> = {}) {
  const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? []
  if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value) || OWN_HEADERS.includes(name.toLowerCase())) {
    throw new InvalidArgumentError('Expected NAME=VALUE of a header that has no flag of its own.')
  }
  return { ...before, [name]: value }
}

/** There is no flag for a password or token, because every local user can read command lines. */
export const REMOTE_FLAGS = {
  '--remote-write.url <url>': 'send the samples to this receiver of remote write 1.0',
  '--remote-write.username <name>': 'user of basic authentication',
  '--remote-write.password-file <file>': 'file with the password of the user',
  '--remote-write.bearer-token-file <file>': 'file with a bearer token',
  '--remote-write.header <name=value>': {
    description: 'additional header, such as X-Scope-OrgID=storage; may be repeated',
    parse: collectHeader,
  },
  '--remote-write.ca-file <file>': 'CA certificates (PEM) of the receiver',
  '--remote-write.cert-file <file>': 'client certificate (PEM)',
  '--remote-write.key-file <file>': 'key of the client certificate (PEM)',
  '--remote-write.server-name <name>': 'name in the certificate of the receiver',
  '--remote-write.insecure-skip-verify': 'accept every certificate of the receiver',
} as const satisfies FlagTable
export type RemoteFlags = FlagsOf<typeof REMOTE_FLAGS>

/** @throws {CommandError} usage error, for flags that do not fit together; failure, for files that cannot be read */
export function receiverOptions(flags: RemoteFlags, url: string): ReceiverOptions {
  const pem = (file: string | undefined) => (file === undefined ? undefined : contentOf(file, 'pem'))
  const headers = { ...flags['remoteWrite.header'], ...authorization(flags) }
  if ((flags['remoteWrite.certFile'] === undefined) !== (flags['remoteWrite.keyFile'] === undefined))
    throw new CommandError('--remote-write.cert-file and --remote-write.key-file need each other', EXIT.usage)
  return {
    url: parseHttpUrl('--remote-write.url', url),
    headers,
    tls: {
      ca: pem(flags['remoteWrite.caFile']),
      cert: pem(flags['remoteWrite.certFile']),
      key: pem(flags['remoteWrite.keyFile']),
      servername: flags['remoteWrite.serverName'],
      rejectUnauthorized: flags['remoteWrite.insecureSkipVerify'] !== true,
    },
  }
}

function authorization(flags: RemoteFlags): Readonly<Record<string, string>> {
  const username = flags['remoteWrite.username']
  const passwordFile = flags['remoteWrite.passwordFile']
  const tokenFile = flags['remoteWrite.bearerTokenFile']
  if ((username === undefined) !== (passwordFile === undefined))
    throw new CommandError(
      '--remote-write.username and --remote-write.password-file need each other',
      EXIT.usage,
    )
  if (username !== undefined && tokenFile !== undefined)
    throw new CommandError('choose basic or bearer authentication', EXIT.usage)
  if (tokenFile !== undefined)
    return { Authorization: `Bearer ${secretIn(tokenFile, tokenFromText).reveal()}` }
  if (username === undefined || passwordFile === undefined) return {}
  const password = secretIn(passwordFile, passwordFromText).reveal()
  return { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
}

function secretIn(file: string, make: (text: string) => Secret | string): Secret {
  const secret = make(contentOf(file, 'secret'))
  if (typeof secret === 'string') throw new CommandError(`the secret in ${file} ${secret}`)
  return secret
}

function contentOf(file: string, kind: 'pem' | 'secret'): string {
  const read = readTextFile(file, kind)
  if ('problem' in read) throw new CommandError(`${file} ${read.problem}`)
  return read.text
}
