import { maxAgeSeconds, USUAL_INTERVAL_SECONDS, windowSeconds } from '../api/query/answers/intervals.ts'
import type { Config, SystemConfig } from '../config/config.ts'
import type { Log } from '../log.ts'
import { pollPeriodMs } from '../poller/period.ts'
import { durationText } from '../text.ts'
import { isReadableByOthers, readTextFile } from '../values/files.ts'
import type { Secret } from '../values/secret.ts'

/** A setting that is valid, but insecure, without effect, or likely to cause gaps. */
export interface Risk {
  /** Undefined for a setting that is not of one system. */
  readonly system: string | undefined
  readonly text: string
  readonly remedy: string
}

type Found = Omit<Risk, 'system'>

interface RiskContext {
  readonly system: SystemConfig
  readonly config: Pick<Config, 'poll'>
  /** Undefined if the configuration is not from a file. */
  readonly configFile: string | undefined
}

const SYSTEM_RISKS: readonly ((context: RiskContext) => Found | undefined)[] = [
  readableSecretFiles,
  readableConfigFile,
  unverifiedTls,
  unencryptedTraffic,
  periodAboveStaleAfter,
  queriesTooRare,
]

/** The risks of one system. */
export function systemRisks(context: RiskContext): Found[] {
  return SYSTEM_RISKS.flatMap((risk) => risk(context) ?? [])
}

/** All risks of a configuration. */
export function risksOf(config: Config, configFile: string | undefined): Risk[] {
  return config.systems.flatMap((system) =>
    systemRisks({ system, config, configFile }).map((found) => ({ system: system.name, ...found })),
  )
}

/** Logs one warning for each risk. */
export function warnOfRisks(config: Config, configFile: string | undefined, log: Log): void {
  for (const { system, text, remedy } of risksOf(config, configFile))
    log.warn(text, { ...(system !== undefined && { system }), remedy })
}

const RESTRICT_FILE = 'remove the permission (chmod o-r, in Kubernetes defaultMode: 0440)'

function readableSecretFiles({ system: { auth, tls } }: RiskContext): Found | undefined {
  const files = ['file' in auth ? auth.file : undefined, tls.keyFile].filter((file) => file !== undefined)
  const readable = files.filter(isReadableByOthers)
  if (readable.length === 0) return undefined
  return {
    text: `every local user can read the secret in ${readable.join(' and in ')}`,
    remedy: RESTRICT_FILE,
  }
}

/** Only for a secret written in the file, not for one from an environment variable. */
function readableConfigFile({ system: { auth }, configFile }: RiskContext): Found | undefined {
  const secret = inlineSecret(auth)
  if (secret === undefined || configFile === undefined || !isReadableByOthers(configFile)) return undefined
  const file = readTextFile(configFile, 'configuration')
  if (!('text' in file) || !file.text.includes(secret.reveal())) return undefined
  return {
    text: `every local user can read the secret in ${configFile}`,
    remedy: `${RESTRICT_FILE}, or use a file for the secret`,
  }
}

function inlineSecret(auth: SystemConfig['auth']): Secret | undefined {
  if (auth.kind === 'token') return auth.token
  return auth.kind === 'login' ? auth.password : undefined
}

function unverifiedTls({ system: { tls } }: RiskContext): Found | undefined {
  if (!tls.insecureSkipVerify) return undefined
  return {
    text: 'TLS certificate verification is disabled: the connection can be intercepted',
    remedy: 'add the CA certificate of the system to tls_config.ca_file and remove insecure_skip_verify',
  }
}

const LOOPBACK_HOST = /^(localhost|127\.[\d.]+|\[::1\])$/

/** Connections to a loopback address do not leave the machine. */
function unencryptedTraffic({ system: { baseUrls, auth } }: RiskContext): Found | undefined {
  const unencrypted = baseUrls.filter((baseUrl) => {
    const { protocol, hostname } = new URL(baseUrl)
    return protocol === 'http:' && !LOOPBACK_HOST.test(hostname)
  })
  if (unencrypted.length === 0) return undefined
  const what = 'username' in auth ? 'the password and the token are' : 'the token is'
  return { text: `${unencrypted.join(', ')}: ${what} sent unencrypted`, remedy: 'use https:// in base_url' }
}

function periodAboveStaleAfter({ config: { poll } }: RiskContext): Found | undefined {
  if (poll.schedule === '') return undefined
  const seconds = pollPeriodMs(poll.schedule) / 1000
  if (seconds * 1000 < poll.staleAfterMs) return undefined
  return {
    text: `poll.schedule polls every ${durationText(seconds)}, but poll.stale_after removes values after ${durationText(poll.staleAfterMs / 1000)}: metrics will have gaps`,
    remedy: 'set poll.stale_after to more than twice the poll interval',
  }
}

/** The age of a point when the next one becomes visible: an interval of five minutes, and seven minutes of delay. */
const POINT_DELAY_SECONDS = 720

function queriesTooRare({ system: { performance }, config: { poll } }: RiskContext): Found | undefined {
  if (performance.source === 'feed' || performance.schedule === '') return undefined
  const seconds = pollPeriodMs(performance.schedule) / 1000
  const ageSeconds = Math.max(maxAgeSeconds(windowSeconds(USUAL_INTERVAL_SECONDS)), poll.staleAfterMs / 1000)
  if (seconds <= ageSeconds - POINT_DELAY_SECONDS) return undefined
  return {
    text: `performance.schedule queries every ${durationText(seconds)}, but values are removed at an age of ${durationText(ageSeconds)}, and are up to ${durationText(POINT_DELAY_SECONDS)} old when they arrive: metrics will have gaps`,
    remedy: 'query every 5 minutes, or raise poll.stale_after',
  }
}
