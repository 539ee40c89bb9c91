import { dirname, resolve } from 'node:path'
import { type ReadText, readTextFile } from '../../values/files.ts'
import { Secret } from '../../values/secret.ts'
import type { BucketSize } from '../../values/token_bucket.ts'
import { ConfigError, type Problem, pathText } from '../values/problems.ts'
import { PARSE_OPTIONS, schemaProblems } from '../values/schema_problems.ts'
import { parseYaml } from '../values/yaml_text.ts'
import { fileSchema, type TlsSection } from './sections.ts'
import { buildTls, readMaterial, tlsRuleProblems, type WebTls } from './tls.ts'

/** The web configuration file of the Prometheus exporter-toolkit, validated. */
export type WebFile = Readonly<ReturnType<typeof loadWebFile>>

/** The result without a file or with an empty file. */
export const PLAIN_WEB_FILE: WebFile = { tls: undefined, headers: {}, users: new Map(), rateLimit: undefined }

type Mapping = Readonly<Record<string, unknown>>

/**
 * Reads the web configuration file (`--web.config.file`) and the certificates and keys that it names.
 * `http_server_config.http2` is accepted without effect: clients use HTTP/1.1.
 * Stricter than the exporter-toolkit where that would start with less protection than configured.
 * @throws {ConfigError} with every problem at once, each with its key
 */
export function loadWebFile(file: string, read: ReadText = readTextFile) {
  const content = read(file, 'configuration')
  if ('problem' in content) throw new ConfigError(file, [{ path: '', message: content.problem }])
  const { data, positionOf } = parseYaml(file, content.text)
  const parsed = fileSchema.safeParse(data, PARSE_OPTIONS)
  const problems = schemaProblems(fileSchema, parsed.error?.issues ?? [], positionOf)
  const sections = mapping(data)
  const users = readUsers(mapping(sections['basic_auth_users']), problems)
  problems.push(...rateLimitProblems(mapping(sections['rate_limit'])))
  const tls = readTls(mapping(sections['tls_server_config']), parsed.data?.tls_server_config, problems, {
    folder: dirname(resolve(file)),
    read,
  })
  if (!parsed.success || problems.length > 0)
    throw new ConfigError(
      file,
      problems.map((problem) => ({ ...positionOf(problem.path.split('.')), ...problem })),
    )
  return {
    /** Undefined: plain HTTP. */
    tls,
    /** Headers of every response. */
    headers: setHeaders(parsed.data.http_server_config?.headers ?? {}),
    /** bcrypt hashes by user name; empty: no authentication. */
    users: users as ReadonlyMap<string, Secret>,
    /** The limit for all requests together. */
    rateLimit: rateLimit(parsed.data.rate_limit),
  }
}

function readTls(
  raw: Mapping,
  section: TlsSection | undefined,
  problems: Problem[],
  from: { readonly folder: string; readonly read: ReadText },
): WebTls | undefined {
  if (Object.keys(raw).length === 0) return undefined
  const material = readMaterial(raw, from, problems)
  problems.push(...tlsRuleProblems(raw, material))
  return section === undefined || problems.length > 0 ? undefined : buildTls(section, material, problems)
}

function mapping(value: unknown): Mapping {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Mapping) : {}
}

/** `$2a$`, `$2b$` and `$2y$`, with a cost from 4 to 31, as `htpasswd -B` writes them. */
const BCRYPT_HASH = /^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/

function readUsers(section: Mapping, problems: Problem[]): Map<string, Secret> {
  const users = new Map<string, Secret>()
  for (const [user, hash] of Object.entries(section)) {
    const path = pathText(['basic_auth_users', user])
    if (user.includes(':')) problems.push({ path, message: 'a user name must not contain a colon' })
    if (typeof hash === 'string' && BCRYPT_HASH.test(hash)) users.set(user, new Secret(hash))
    else problems.push({ path, message: 'expected a bcrypt hash, as htpasswd -nBC 10 "" prints it' })
  }
  return users
}

function rateLimitProblems(section: Mapping): Problem[] {
  const { interval, burst } = section
  if (typeof interval !== 'string' || interval === '' || interval === '0') return []
  if (typeof burst === 'number' && burst >= 1) return []
  return [{ path: 'rate_limit.burst', message: 'must be 1 or more, otherwise every request is refused' }]
}

type FileSections = ReturnType<typeof fileSchema.parse>

function rateLimit(section: FileSections['rate_limit']): BucketSize | undefined {
  const intervalMs = section?.interval ?? 0
  return intervalMs > 0 ? { intervalMs, burst: section?.burst ?? 1 } : undefined
}

/** @param section values may be undefined */
function setHeaders(section: object): Record<string, string> {
  return Object.fromEntries(Object.entries(section).filter(([, value]) => value !== undefined))
}
