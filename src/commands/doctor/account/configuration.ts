import type { AuthConfig } from '../../../config/config.ts'
import { isReadableByOthers, readTextFile } from '../../../config/values/files.ts'
import type { Secret } from '../../../config/values/secret.ts'
import { RESTRICT_FILE, secretFiles, unencryptedUrls } from '../../../exporter/risks.ts'
import { pollPeriodMs } from '../../../poller/period.ts'
import { durationText } from '../../cli/quantities.ts'
import type { Finding } from '../check/check.ts'
import { type SystemContext, systemCheck } from '../check/system_facts.ts'

type Risk = (context: SystemContext) => Finding | undefined

/** Settings that are valid but insecure or likely to cause gaps. */
const RISKS: readonly Risk[] = [
  readableSecretFiles,
  readableConfigFile,
  unverifiedTls,
  unencryptedTraffic,
  periodAboveStaleAfter,
]

/** Warns about risky settings; the configuration has been validated before. */
export const configurationCheck = systemCheck({
  title: 'configuration',
  needs: [],
  run: (context) => {
    const found = RISKS.flatMap((risk) => risk(context) ?? [])
    return { findings: found.length > 0 ? found : [{ status: 'ok', text: 'no problems found' }] }
  },
})

const warn = (text: string, remedy: string): Finding => ({ status: 'warn', text, remedy })

function readableSecretFiles({ system }: SystemContext): Finding | undefined {
  const readable = secretFiles(system).filter(isReadableByOthers)
  if (readable.length === 0) return undefined
  return warn(`every local user can read the secret in ${readable.join(' and in ')}`, RESTRICT_FILE)
}

/** Only for a secret written in the file, not for one from an environment variable. */
function readableConfigFile({ system: { auth }, configFile }: SystemContext): Finding | undefined {
  const secret = inlineSecret(auth)
  if (secret === undefined || !isReadableByOthers(configFile)) return undefined
  const file = readTextFile(configFile, 'configuration')
  if (!('text' in file) || !file.text.includes(secret.reveal())) return undefined
  return warn(
    `every local user can read the secret in ${configFile}`,
    `${RESTRICT_FILE}, or use a file for the secret`,
  )
}

function inlineSecret(auth: AuthConfig): Secret | undefined {
  if (auth.kind === 'token') return auth.token
  return auth.kind === 'login' ? auth.password : undefined
}

function unverifiedTls({ system: { tls } }: SystemContext): Finding | undefined {
  if (!tls.insecureSkipVerify) return undefined
  return warn(
    'TLS certificate verification is disabled: the connection can be intercepted',
    'add the CA certificate of the system to tls_config.ca_file and remove insecure_skip_verify',
  )
}

function unencryptedTraffic({ system }: SystemContext): Finding | undefined {
  const unencrypted = unencryptedUrls(system)
  if (unencrypted.length === 0) return undefined
  return warn(`${unencrypted.join(', ')}: the token is sent unencrypted`, 'use https:// in base_url')
}

function periodAboveStaleAfter({ config: { poll } }: SystemContext): Finding | undefined {
  const seconds = pollPeriodMs(poll.schedule) / 1000
  if (seconds * 1000 < poll.staleAfterMs) return undefined
  return warn(
    `poll.schedule polls every ${durationText(seconds)}, but poll.stale_after removes values after ${durationText(poll.staleAfterMs / 1000)}: metrics will have gaps`,
    'set poll.stale_after to more than twice the poll interval',
  )
}
