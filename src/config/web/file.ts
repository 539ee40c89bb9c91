import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { type ReadText, readTextFile } from '../../values/files.ts'
import type { Secret } from '../../values/secret.ts'
import { ConfigError } from '../values/problems.ts'
import { PARSE_OPTIONS, schemaProblems } from '../values/schema_problems.ts'
import { parseYaml } from '../values/yaml_text.ts'
import { flag, headersSection, optional, usersSection } from './sections.ts'
import { tlsSection } from './tls.ts'

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
