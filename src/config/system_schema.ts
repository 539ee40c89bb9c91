import { resolve } from 'node:path'
import { z } from 'zod'
import { idProblem } from '../values/ids.ts'
import { passwordFromText, type Secret, tokenFromText } from '../values/secret.ts'
import type { AuthConfig, SystemConfig, TlsConfig } from './config.ts'
import { type PerformanceSection, performanceSchema } from './performance_schema.ts'
import { type ResourcesSection, resourcesSchema } from './resources_schema.ts'
import { labelsSchema } from './values/labels_schema.ts'
import { certificateProblem, isPair, keyProblem } from './values/pem.ts'
import type { AUTH_KEY_NAMES } from './values/problems.ts'
import type { ReadText } from './values/readings.ts'
import { typeMessage } from './values/schema_problems.ts'
import { flag } from './values/units.ts'
import { httpUrl } from './values/urls.ts'

const text = z.string('expected text')
const filledText = text.min(1, 'must not be empty')

const baseUrl = httpUrl('set them under auth', ':4443')

type AuthKeyName = (typeof AUTH_KEY_NAMES)[number]
const AUTH_KEYS = 'exactly one of token, token_file, or username with password or password_file'
const authKeys = z
  .strictObject(
    {
      token: text.optional(),
      token_file: filledText.optional(),
      username: filledText.regex(/^[^:]*$/, 'must not contain a colon').optional(),
      password: text.optional(),
      password_file: filledText.optional(),
    } satisfies Record<AuthKeyName, z.ZodType>,
    typeMessage(`expected ${AUTH_KEYS}`),
  )
  .superRefine((value, context) => {
    const methods = [value.token, value.token_file, value.username].filter(
      (method) => method !== undefined,
    ).length
    const passwords = [value.password, value.password_file].filter((way) => way !== undefined).length
    if (methods !== 1 || passwords !== (value.username === undefined ? 0 : 1)) {
      context.addIssue({ code: 'custom', message: `needs ${AUTH_KEYS}` })
    }
  })
type AuthKeys = z.output<typeof authKeys>

/** Reads secret files, so that a missing, unreadable or empty file is reported at the start. */
function authSchema(folder: string, read: ReadText) {
  return authKeys.transform((keys, context): AuthConfig => {
    const [key, secret] = readSecret(keys, folder, read)
    if (typeof secret !== 'string') return authConfig(keys, folder, secret)
    context.addIssue({ code: 'custom', message: secret, path: [key] })
    return z.NEVER
  })
}

/** The key that contains the secret, and the secret or the problem with it. */
function readSecret(keys: AuthKeys, folder: string, readText: ReadText): [string, Secret | string] {
  if (keys.token !== undefined) return ['token', tokenFromText(keys.token)]
  if (keys.password !== undefined) return ['password', passwordFromText(keys.password)]
  const [key, file, make] =
    keys.token_file === undefined
      ? (['password_file', keys.password_file ?? '', passwordFromText] as const)
      : (['token_file', keys.token_file, tokenFromText] as const)
  const read = readText(resolve(folder, file), 'secret')
  return [key, 'problem' in read ? `${file} ${read.problem}` : make(read.text)]
}

function authConfig(keys: AuthKeys, folder: string, secret: Secret): AuthConfig {
  if (keys.token !== undefined) return { kind: 'token', token: secret }
  if (keys.token_file !== undefined) return { kind: 'token_file', file: resolve(folder, keys.token_file) }
  const username = keys.username ?? ''
  return keys.password_file === undefined
    ? { kind: 'login', username, password: secret }
    : { kind: 'login_file', username, file: resolve(folder, keys.password_file) }
}

/** A path; an empty path means not set, so that example files can show every key. */
const path = text.transform((value) => (value === '' ? undefined : value)).optional()

const tlsKeys = z.strictObject({
  ca_file: path,
  cert_file: path,
  key_file: path,
  server_name: text.transform((name) => (name === '' ? undefined : name)).optional(),
  insecure_skip_verify: flag.prefault(false),
})

const PEM_CHECKS = {
  ca_file: certificateProblem,
  cert_file: certificateProblem,
  key_file: keyProblem,
} as const
type PemKey = keyof typeof PEM_CHECKS

/** Reads the PEM files, so that an invalid file is reported at the start. */
function tlsSchema(folder: string, read: ReadText) {
  return tlsKeys.transform((keys, context): TlsConfig => {
    for (const [path, message] of pemProblems(keys, folder, read)) {
      context.addIssue({ code: 'custom', message, path })
    }
    const absolute = (file: string | undefined) => (file === undefined ? undefined : resolve(folder, file))
    return {
      caFile: absolute(keys.ca_file),
      certFile: absolute(keys.cert_file),
      keyFile: absolute(keys.key_file),
      serverName: keys.server_name,
      insecureSkipVerify: keys.insecure_skip_verify,
    }
  })
}

/** Problems of the PEM files as [path, message]. The path is empty for a problem of several files together. */
function pemProblems(
  keys: z.output<typeof tlsKeys>,
  folder: string,
  readText: ReadText,
): [string[], string][] {
  const texts = new Map<string, string>()
  const problems = (Object.keys(PEM_CHECKS) as PemKey[]).flatMap((key): [string[], string][] => {
    const file = keys[key]
    if (file === undefined) return []
    const read = readText(resolve(folder, file), 'pem')
    const problem = 'problem' in read ? read.problem : PEM_CHECKS[key](read.text)
    if ('text' in read && problem === undefined) texts.set(key, read.text)
    return problem === undefined ? [] : [[[key], `${file} ${problem}`]]
  })
  const mismatch = pairProblem(keys, texts.get('cert_file'), texts.get('key_file'))
  return mismatch === undefined ? problems : [...problems, [[], mismatch]]
}

function pairProblem(
  keys: z.output<typeof tlsKeys>,
  certificate: string | undefined,
  key: string | undefined,
): string | undefined {
  if ((keys.cert_file === undefined) !== (keys.key_file === undefined)) {
    return 'cert_file and key_file must be set together'
  }
  const isWrong = certificate !== undefined && key !== undefined && !isPair(certificate, key)
  return isWrong ? 'the key in key_file does not match the certificate in cert_file' : undefined
}

const poolId = text.superRefine((id, context) => {
  const problem = idProblem(id)
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
})

const poolList = z
  .array(z.strictObject({ id: poolId }))
  .min(1, 'must not be empty; omit it to discover the pools')
  .superRefine((pools, context) => {
    const ids = new Set<string>()
    pools.forEach(({ id }, index) => {
      if (ids.size !== ids.add(id).size) return
      context.addIssue({ code: 'custom', message: 'listed twice', path: [index, 'id'] })
    })
  })
  .transform((pools) => pools.map(({ id }) => id))

/** A system with its own sections, which may be missing. */
type SystemKeys = Omit<SystemConfig, 'performance' | 'resources'> & {
  readonly performance: PerformanceSection | undefined
  readonly resources: ResourcesSection | undefined
}

/** One element of `systems`. Relative paths resolve against `folder`. */
export function systemSchema(folder: string, read: ReadText) {
  return z
    .strictObject({
      name: text.regex(/^[A-Za-z0-9_.-]+$/, 'may contain letters, digits, underscore, dot and hyphen only'),
      base_url: z.preprocess(
        (value) => (typeof value === 'string' ? [value] : value),
        z.array(baseUrl, 'expected a URL or a list of URLs').min(1, 'needs at least one URL'),
      ),
      auth: authSchema(folder, read),
      tls_config: tlsSchema(folder, read).prefault({}),
      labels: labelsSchema.prefault({}),
      pools: poolList.optional(),
      performance: performanceSchema.optional(),
      resources: resourcesSchema.optional(),
    })
    .transform(
      (system): SystemKeys => ({
        name: system.name,
        baseUrls: [...new Set(system.base_url)],
        auth: system.auth,
        tls: system.tls_config,
        labels: system.labels,
        pools: system.pools,
        performance: system.performance,
        resources: system.resources,
      }),
    )
}
