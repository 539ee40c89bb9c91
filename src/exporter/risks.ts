import { maxAgeSeconds, USUAL_INTERVAL_SECONDS, windowSeconds } from '../api/query/answers/rates.ts'
import type { Config, OtlpConfig, SystemConfig } from '../config/config.ts'
import type { Log } from '../log.ts'
import { durationText } from '../text.ts'
import { isReadableByOthers, readTextFile } from '../values/files.ts'
import { isLoopback } from '../values/listen_address.ts'
import { pollPeriodMs } from '../values/schedule.ts'
import type { Secret } from '../values/secret.ts'

/** A setting that is valid, but insecure, without effect, or likely to cause gaps. */
interface Risk {
  /** Undefined for a setting that is not of one system. */
  readonly system: string | undefined
  readonly text: string
  readonly remedy: string
}

type RiskRow = readonly [applies: boolean, text: string, remedy: string]

/** @param configFile undefined if the configuration is not from a file */
export function systemRisks(system: SystemConfig, configFile: string | undefined): Omit<Risk, 'system'>[] {
  const { auth, tls } = system
  const plain = system.baseUrls.filter(isUnencrypted).join(', ')
  const secrets = 'username' in auth ? 'the password and the token are' : 'the token is'
  const rows: readonly RiskRow[] = [
    filesRisk('file' in auth ? auth.file : undefined, tls.keyFile),
    writtenRisk('token' in auth ? [auth.token] : 'password' in auth ? [auth.password] : [], configFile),
    [
      tls.insecureSkipVerify,
      UNVERIFIED,
      'add the CA certificate of the system to tls_config.ca_file and remove insecure_skip_verify',
    ],
    [plain !== '', `${plain}: ${secrets} sent unencrypted`, 'use https:// in base_url'],
    ...system.baseUrls.flatMap(urlRisks),
    ...pollRisk(system.poll),
    ...queryRisk(system),
  ]
  return rows.flatMap(([applies, text, remedy]) => (applies ? [{ text, remedy }] : []))
}

export function risksOf(config: Config, configFile: string | undefined): Risk[] {
  const ofSystems = config.systems.flatMap((system) =>
    systemRisks(system, configFile).map((found) => ({ system: system.name, ...found })),
  )
  const ofPush = config.otlp === undefined ? [] : pushRisks(config.otlp, configFile)
  return [...ofSystems, ...ofPush, ...sharedUrls(config.systems)]
}

function pushRisks({ url, headers, headersFile, tls }: OtlpConfig, configFile: string | undefined): Risk[] {
  const hasHeaders = headersFile !== undefined || Object.keys(headers).length > 0
  const rows: readonly RiskRow[] = [
    filesRisk(headersFile, tls.keyFile),
    writtenRisk(Object.values(headers), configFile),
    [tls.insecureSkipVerify, UNVERIFIED, 'set otlp.tls_config.ca_file and remove insecure_skip_verify'],
    [
      hasHeaders && isUnencrypted(url),
      `${url}: the headers are sent unencrypted`,
      'use https:// in otlp.endpoint',
    ],
  ]
  return rows.flatMap(([applies, text, remedy]) => (applies ? [{ system: undefined, text, remedy }] : []))
}

/** Systems that a running exporter has, and its next configuration has not. */
export function removedSystems(
  before: readonly string[],
  now: readonly string[],
): (Risk & { readonly system: string })[] {
  const removed = before.filter((name) => !now.includes(name))
  return removed.map((system) => ({
    system,
    text: 'the system leaves the configuration: its series end, and the alert SdsSystemVanished fires for a day',
    remedy: `if this is intended: amtool silence add --duration=25h --comment=removed alertname=SdsSystemVanished system=${system}`,
  }))
}

function sharedUrls(systems: readonly SystemConfig[]): Risk[] {
  const firsts = new Map<string, string>()
  return systems.flatMap(({ name: system, baseUrls }) =>
    baseUrls.flatMap((url) => {
      const first = firsts.get(url) ?? system
      firsts.set(url, first)
      const text = `system ${first} has the same base_url ${url}: it is polled twice`
      return first === system ? [] : [{ system, text, remedy: 'configure each storage system once' }]
    }),
  )
}

export function logRisks(risks: readonly Risk[], log: Log): void {
  for (const { system, text, remedy } of risks)
    log.warn(text, { ...(system !== undefined && { system }), remedy })
}

const UNVERIFIED = 'TLS certificate verification is disabled: the connection can be intercepted'
const READABLE = 'every local user can read the secret in'
const RESTRICT_FILE = 'remove the permission (chmod o-r, in Kubernetes defaultMode: 0440)'

/** Files with a secret that others can read. */
function filesRisk(...files: readonly (string | undefined)[]): RiskRow {
  const readable = files.filter((file) => file !== undefined && isReadableByOthers(file)).join(' and in ')
  return [readable !== '', `${READABLE} ${readable}`, RESTRICT_FILE]
}

/** Only for secrets written in the configuration file, not for those from environment variables. */
function writtenRisk(secrets: readonly Secret[], configFile: string | undefined): RiskRow {
  const row = [`${READABLE} ${configFile}`, `${RESTRICT_FILE}, or use a file for the secret`] as const
  if (secrets.length === 0 || configFile === undefined || !isReadableByOthers(configFile))
    return [false, ...row]
  const file = readTextFile(configFile, 'configuration')
  return ['text' in file && secrets.some((secret) => file.text.includes(secret.reveal())), ...row]
}

/** Connections to a loopback address do not leave the machine. */
function isUnencrypted(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl)
  return protocol === 'http:' && !isLoopback(hostname)
}

/** The port of the management API. */
const USUAL_PORT = 4443

function urlRisks(baseUrl: string): RiskRow[] {
  const { protocol, host, pathname } = new URL(baseUrl)
  const hasPort = baseUrl.startsWith(`${protocol}//${host}:`) || /:\d+$/.test(host)
  return [
    [
      protocol === 'https:' && !hasPort,
      `${baseUrl} has no port: requests are sent to port 443, but the management API usually listens on port ${USUAL_PORT}`,
      `write ${protocol}//${host}:${USUAL_PORT}, or :443 if this is meant`,
    ],
    [
      pathname !== '/',
      `${baseUrl} has a path: all requests are sent below ${pathname}`,
      `write ${baseUrl.slice(0, baseUrl.length - pathname.length)} unless a proxy serves the management API there`,
    ],
  ]
}

function pollRisk({ schedule, staleAfterMs, maxRandomDelayMs }: SystemConfig['poll']): RiskRow[] {
  if (schedule === '') return []
  const periodMs = pollPeriodMs(schedule)
  const text = `poll.schedule polls every ${durationText(periodMs / 1000)}, but poll.stale_after removes values after ${durationText(staleAfterMs / 1000)}: metrics will have gaps`
  return [
    [
      periodMs + maxRandomDelayMs >= staleAfterMs,
      text,
      'set poll.stale_after to more than twice the poll interval',
    ],
  ]
}

/** The age of a point when the next one becomes visible: an interval of five minutes, and seven minutes of delay. */
const POINT_DELAY_SECONDS = 720

function queryRisk({ performance: { source, schedule }, poll: { staleAfterMs } }: SystemConfig): RiskRow[] {
  if (source === 'feed' || schedule === '') return []
  const seconds = pollPeriodMs(schedule) / 1000
  const ageSeconds = Math.max(maxAgeSeconds(windowSeconds(USUAL_INTERVAL_SECONDS)), staleAfterMs / 1000)
  const text = `performance.schedule queries every ${durationText(seconds)}, but values are removed at an age of ${durationText(ageSeconds)}, and are up to ${durationText(POINT_DELAY_SECONDS)} old when they arrive: metrics will have gaps`
  const isRare = seconds > ageSeconds - POINT_DELAY_SECONDS
  return [[isRare, text, 'query every 5 minutes, or raise poll.stale_after']]
}
