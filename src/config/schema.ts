import { z } from 'zod'
import { forecastTarget } from '../alerting/conditions.ts'
import type { AlertingConfig } from '../alerting/config.ts'
import { type ReadText, readTextFile } from '../values/files.ts'
import { idProblem } from '../values/names.ts'
import { passwordFromText, type Secret, tokenFromText } from '../values/secret.ts'
import { type DEFAULTS, valueAt } from './inheritance.ts'
import { otlpSection } from './otlp.ts'
import { FORECAST_SECTION, historySection, performanceOf, resourcesOf, systemSections } from './sections.ts'
import { fileReader, tlsKeys, tlsSchema } from './tls.ts'
import { labelsSchema } from './values/labels_schema.ts'
import type { AUTH_KEY_NAMES } from './values/problems.ts'
import { DESPITE_OTHERS, IF_VALID, typeMessage } from './values/schema_problems.ts'
import { httpUrl } from './values/urls.ts'
import type { Environment } from './values/variables.ts'

const text = z.string('expected text')
const secretText = z.string('write it in quotes: expected text')
const filledText = text.min(1, 'must not be empty')

const baseUrl = httpUrl('set them under auth', ':4443')

type AuthKeyName = (typeof AUTH_KEY_NAMES)[number]
const AUTH_KEYS = 'exactly one of token, token_file, or username with password or password_file'

/** Secret files are read, so that a missing, unreadable or empty one is reported at the start. */
function authKeys(folder: string, read: ReadText) {
  const secret = (make: MakeSecret) =>
    secretText
      .transform((value, context): Secret => {
        const made = make(value)
        if (typeof made !== 'string') return made
        context.addIssue({ code: 'custom', message: made })
        return z.NEVER
      })
      .optional()
  const fileOf = fileReader(folder, read)
  const secretFile = (make: MakeSecret) => filledText.optional().transform(fileOf(make, 'secret'))
  return z.strictObject(
    {
      token: secret(tokenFromText),
      token_file: secretFile(tokenFromText),
      username: filledText.regex(/^[^:]*$/, 'must not contain a colon').optional(),
      password: secret(passwordFromText),
      password_file: secretFile(passwordFromText),
    } satisfies Record<AuthKeyName, z.ZodType>,
    typeMessage(`expected ${AUTH_KEYS}`),
  )
}

/** `auth` of a system, with what it inherits. */
function authSchema(folder: string, read: ReadText) {
  return authKeys(folder, read)
    .superRefine(({ token, token_file, username, password, password_file }, context) => {
      const countOf = (values: readonly unknown[]) => values.filter((value) => value !== undefined).length
      const isOneMethod = countOf([token, token_file, username]) === 1
      if (isOneMethod && countOf([password, password_file]) === countOf([username])) return
      context.addIssue({ code: 'custom', message: `needs ${AUTH_KEYS}` })
    }, DESPITE_OTHERS)
    .transform(({ token, token_file, username = '', password, password_file }) => {
      if (token !== undefined) return { kind: 'token', token } as const
      if (token_file !== undefined) return { kind: 'token_file', file: token_file.file } as const
      if (password !== undefined) return { kind: 'login', username, password } as const
      return { kind: 'login_file', username, file: password_file?.file ?? '' } as const
    })
}

/** A text is the problem of the secret. */
type MakeSecret = (text: string) => Secret | string

const poolId = text.superRefine((id, context) => {
  const problem = idProblem(id)
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
})

/** A check of a list: no two elements may have the same `key`. */
function isUnique(key: string, messageOf: (first: number) => string) {
  return (list: readonly unknown[], context: z.RefinementCtx): void => {
    const firsts = new Map<unknown, number>()
    list.forEach((element, index) => {
      const value = valueAt(element, [key])
      const first = firsts.get(value) ?? index
      firsts.set(value, first)
      // An element of another type has its own problem.
      if (typeof value === 'string' && first !== index)
        context.addIssue({ code: 'custom', message: messageOf(first), path: [index, key] })
    })
  }
}

const poolList = z
  .array(z.strictObject({ id: poolId }))
  .min(1, 'must not be empty; omit it to discover the pools')
  .superRefine(
    isUnique('id', () => 'listed twice'),
    DESPITE_OTHERS,
  )
  .transform((pools) => pools.map(({ id }) => id))

/** One element of `systems`, with what it inherits. Relative paths resolve against `folder`. */
function systemSchema(folder: string, read: ReadText) {
  return z
    .strictObject({
      name: text.regex(/^[A-Za-z0-9_.-]+$/, 'may contain letters, digits, underscore, dot and hyphen only'),
      base_url: z.preprocess(
        (value) => (typeof value === 'string' ? [value] : value),
        z.array(baseUrl, 'expected a URL or a list of URLs').min(1, 'needs at least one URL'),
      ),
      auth: authSchema(folder, read),
      tls_config: tlsSchema(folder, read).prefault({}),
      /** Further labels of `sds_system_info`, and of the targets of `/sd`. */
      labels: labelsSchema.prefault({}),
      pools: poolList.optional(),
      ...systemSections(folder, read),
    })
    .transform(({ name, auth, labels, poll, forecast, limits, base_url, tls_config, pools, ...sections }) => {
      const performance = performanceOf(sections.performance, poll)
      return {
        ...{ name, auth, labels, poll, forecast, limits, performance },
        /** Equivalent base URLs, with a path if the API is served below one; no trailing slash. */
        baseUrls: [...new Set(base_url)] as readonly string[],
        tls: tls_config,
        /** Ids of the pools to poll; undefined: all pools that the system lists. */
        pools: pools as readonly string[] | undefined,
        resources: resourcesOf(sections, performance.schedule || poll.schedule, performance.source),
      }
    })
}

/** What systems inherit unless they set it. What needs several keys is checked for each system. */
function defaultsSchema(folder: string, read: ReadText) {
  return z.strictObject({
    auth: authKeys(folder, read).optional(),
    tls_config: tlsKeys(folder, read).optional(),
    labels: labelsSchema.optional(),
  } satisfies Record<(typeof DEFAULTS)[number], z.ZodType>)
}

/**
 * Schema of the configuration file, whose systems have what they inherit. Converts it into `Config`: durations
 * become milliseconds, sizes become bytes, secret files are checked. Unknown keys are errors. Relative paths resolve
 * against `folder`.
 */
export function fileSchema(
  folder: string,
  alerting: z.ZodType<AlertingConfig>,
  read: ReadText = readTextFile,
  environment: Environment = {},
) {
  // The sections of the file are checked here; their values are those of the systems that inherit them.
  return fileKeys(folder, alerting, read, environment)
    .superRefine(checkForecastTarget, IF_VALID)
    .transform(({ systems, history, otlp, alerting }) => ({
      systems,
      history,
      /** Undefined: metrics are not pushed. */
      otlp,
      /** For the commands `rules` and `dashboards`; undefined: not set. */
      alerting,
    }))
}

/**
 * Schema of what the commands `rules` and `dashboards` read: of a configuration file, its section `alerting` and the
 * forecasts that its systems request; of a file without systems, the same two sections.
 */
export function alertingFileSchema(alerting: z.ZodType<AlertingConfig>, hasSystems: boolean) {
  return z
    .strictObject(
      {
        alerting: hasSystems ? alerting.prefault({}) : alerting,
        forecast: FORECAST_SECTION,
        systems: z.array(z.strictObject({ forecast: FORECAST_SECTION })).optional(),
      },
      typeMessage('expected a mapping with the key alerting'),
    )
    .superRefine(checkForecastTarget, IF_VALID)
}

const SETTING = 'alerting.thresholds.forecast_target_percent'

interface WithForecast {
  readonly forecast: { readonly schedule: string; readonly targets: readonly number[] }
}
interface ForecastFile extends WithForecast {
  readonly alerting?: AlertingConfig | undefined
  readonly systems?: readonly WithForecast[] | undefined
}

/**
 * Adds a problem where forecasts are requested, but not with the target of alerts, dashboards and status page: none of
 * them would ever show one. Systems with the same targets have one problem.
 */
function checkForecastTarget({ alerting, systems, ...file }: ForecastFile, context: z.RefinementCtx): void {
  const target = forecastTarget(alerting)
  const known = new Set<string>()
  for (const [index, { forecast }] of (systems ?? [file]).entries()) {
    const targets = forecast.targets.join(', ')
    if (forecast.schedule === '' || forecast.targets.includes(target) || known.has(targets)) continue
    known.add(targets)
    const message = `the targets (${targets}) lack ${target}, which alerts, dashboards and status page compare: add it, or set ${SETTING} to one of them`
    const path = systems === undefined ? ['forecast'] : ['systems', index, 'forecast']
    context.addIssue({ code: 'custom', path, message })
  }
}

function fileKeys(
  folder: string,
  alerting: z.ZodType<AlertingConfig>,
  read: ReadText,
  environment: Environment,
) {
  return z.strictObject(
    {
      systems: z
        .array(systemSchema(folder, read), 'expected a list of systems')
        .min(1, 'needs at least one system')
        .superRefine(
          isUnique('name', (first) => `systems[${first}] has the same name`),
          DESPITE_OTHERS,
        ),
      defaults: defaultsSchema(folder, read).prefault({}),
      ...systemSections(folder, read),
      history: historySection.prefault({}),
      otlp: otlpSection(folder, read, environment).prefault({}),
      alerting: alerting.optional(),
    },
    typeMessage('expected a mapping with the key systems'),
  )
}

/** The keys of the file that the commands `rules` and `dashboards` do not read. */
export const OTHER_KEYS: readonly string[] = Object.keys(
  fileKeys('', z.never(), readTextFile, {}).shape,
).filter((key) => key !== 'alerting' && key !== 'forecast')
