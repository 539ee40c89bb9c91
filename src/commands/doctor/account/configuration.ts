import type { AuthConfig } from '../../../config/config.ts'
import { isReadableByOthers, readTextFile } from '../../../config/values/files.ts'
import type { Secret } from '../../../config/values/secret.ts'
import { CLOSE_FILE, exposedUrls, secretFiles } from '../../../exporter/risks.ts'
import { pollPeriodMs } from '../../../poller/period.ts'
import { durationText } from '../../cli/quantities.ts'
import type { Finding } from '../check/check.ts'
import { type SystemContext, systemCheck } from '../check/system_facts.ts'

type Risk = (context: SystemContext) => Finding | undefined

/** What is allowed, and yet no good idea. */
const RISKS: readonly Risk[] = [openFiles, openConfigFile, unverified, inTheClear, rarerThanStale]

/** The file has been found valid before; here is what else may be wrong with it. */
export const configurationCheck = systemCheck({
  title: 'configuration',
  needs: [],
  run: (context) => {
    const found = RISKS.flatMap((risk) => risk(context) ?? [])
    return { findings: found.length > 0 ? found : [{ status: 'ok', text: 'nothing to object to' }] }
  },
})

const warn = (text: string, remedy: string): Finding => ({ status: 'warn', text, remedy })

function openFiles({ system }: SystemContext): Finding | undefined {
  const open = secretFiles(system).filter(isReadableByOthers)
  if (open.length === 0) return undefined
  return warn(`every user of this machine may read the secret in ${open.join(' and in ')}`, CLOSE_FILE)
}

/** A secret in the file itself, not one that came through a variable. */
function openConfigFile({ system: { auth }, configFile }: SystemContext): Finding | undefined {
  const secret = inlineSecret(auth)
  if (secret === undefined || !isReadableByOthers(configFile)) return undefined
  const file = readTextFile(configFile)
  if (!('text' in file) || !file.text.includes(secret.reveal())) return undefined
  return warn(
    `every user of this machine may read the secret in ${configFile}`,
    `${CLOSE_FILE}, or use a file for the secret`,
  )
}

function inlineSecret(auth: AuthConfig): Secret | undefined {
  if (auth.kind === 'token') return auth.token
  return auth.kind === 'login' ? auth.password : undefined
}

function unverified({ system: { tls } }: SystemContext): Finding | undefined {
  if (!tls.insecureSkipVerify) return undefined
  return warn(
    'TLS certificates are not verified: anybody in between can read the token',
    'put the authority of the system into tls_config.ca_file and remove insecure_skip_verify',
  )
}

function inTheClear({ system }: SystemContext): Finding | undefined {
  const exposed = exposedUrls(system)
  if (exposed.length === 0) return undefined
  return warn(`${exposed.join(', ')}: the token travels in the clear`, 'use https:// in base_url')
}

function rarerThanStale({ config: { poll } }: SystemContext): Finding | undefined {
  const seconds = pollPeriodMs(poll.schedule) / 1000
  if (seconds * 1000 < poll.staleAfterMs) return undefined
  return warn(
    `poll.schedule polls every ${durationText(seconds)}, and poll.stale_after withdraws values after ${durationText(poll.staleAfterMs / 1000)}: there would be gaps`,
    'raise poll.stale_after above twice the time between polls',
  )
}
