import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { type ReadText, readTextFile } from '../../values/files.ts'
import { Secret } from '../../values/secret.ts'
import { isMapping } from '../inheritance.ts'
import { ConfigError } from '../values/problems.ts'
import { PARSE_OPTIONS, schemaProblems } from '../values/schema_problems.ts'
import { oneOf } from '../values/units.ts'
import { parseYaml } from '../values/yaml_text.ts'
import { flag, optional, tlsSection } from './tls.ts'

/** Excludes line breaks, which would add headers. A number, such as `X-XSS-Protection: 1`, is a text as in the toolkit. */
const headerValue = z.preprocess(
  (value) => (typeof value === 'number' ? String(value) : value),
  z
    .string('expected a text')
    .regex(/^[\t\x20-\x7e]*$/, 'contains characters that are not allowed in an HTTP header'),
)

const headersSection = z
  .strictObject({
    'Content-Security-Policy': optional(headerValue),
    'Strict-Transport-Security': optional(headerValue),
    'X-Content-Type-Options': optional(oneOf(['nosniff'])),
    'X-Frame-Options': optional(oneOf(['deny', 'sameorigin'])),
    'X-XSS-Protection': optional(headerValue),
  })
  .transform(
    (headers): Readonly<Record<string, string>> =>
      Object.fromEntries(
        Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      ),
  )

/** `$2a$`, `$2b$` and `$2y$`, with a cost from 4 to 31, as `htpasswd -B` writes them. */
const BCRYPT_HASH = /^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/

/** bcrypt hashes by user name. A record of the library would omit a user named `__proto__`. */
const usersSection = z
  .custom<object>(isMapping, 'expected a mapping of user names to bcrypt hashes')
  .transform((section, context): ReadonlyMap<string, Secret> => {
    const users = Object.entries(section)
    for (const [user, hash] of users) {
      const problem = (message: string) => context.addIssue({ code: 'custom', message, path: [user] })
      if (user.includes(':')) problem('a user name must not contain a colon')
      if (typeof hash !== 'string' || !BCRYPT_HASH.test(hash))
        problem('expected a bcrypt hash, as htpasswd -nBC 10 "" prints it')
    }
    return new Map(users.map(([user, hash]) => [user, new Secret(hash)]))
  })

/** `http_server_config.http2` is accepted without effect: clients use HTTP/1.1. */
function fileSchema(folder: string, read: ReadText) {
  return z
    .strictObject({
      tls_server_config: tlsSection(folder, read),
      http_server_config: optional(
        z.strictObject({ http2: optional(flag), headers: optional(headersSection) }),
      ),
      basic_auth_users: optional(usersSection),
    })
    .transform(({ tls_server_config, http_server_config, basic_auth_users }) => ({
      /** Undefined: plain HTTP. */
      tls: tls_server_config,
      headers: http_server_config?.headers ?? {},
      /** Empty: no authentication. */
      users: basic_auth_users ?? (new Map() as ReadonlyMap<string, Secret>),
    }))
}

/** The web configuration file of the Prometheus exporter-toolkit, validated. */
export type WebFile = Readonly<z.output<ReturnType<typeof fileSchema>>>

/** The result without a file or with an empty file. */
export const PLAIN_WEB_FILE: WebFile = { tls: undefined, headers: {}, users: new Map() }

/**
 * Reads the web configuration file (`--web.config.file`) and the certificates and keys that it names.
 * Stricter than the exporter-toolkit where that would start with less protection than configured.
 * @throws {ConfigError} with every problem at once, each with its key
 */
export function loadWebFile(file: string, read: ReadText = readTextFile): WebFile {
  const content = read(file, 'configuration')
  if ('problem' in content) throw new ConfigError(file, [{ path: '', message: content.problem }])
  const { data, positionOf } = parseYaml(file, content.text)
  const schema = fileSchema(dirname(resolve(file)), read)
  const parsed = schema.safeParse(data, PARSE_OPTIONS)
  if (parsed.success) return parsed.data
  throw new ConfigError(file, schemaProblems(schema, parsed.error.issues, positionOf))
}
