import { validate } from 'dockerfile-utils'
import { effective, finalStage, parseDockerfile, type Step } from './dockerfile.ts'

/** Kubernetes verifies `runAsNonRoot` only for a numeric user. */
const UNPRIVILEGED_USER = /^[1-9]\d*:[1-9]\d*$/
const REQUIRED_LABELS = ['title', 'description', 'licenses', 'version', 'revision', 'source', 'created']
const SECRET_NAME = /pass|secret|token|key/i

interface Rule {
  readonly what: string
  readonly holds: (steps: readonly Step[]) => boolean
}

const named = (steps: readonly Step[], keyword: string) => steps.filter((step) => step.keyword === keyword)
const inExecForm = (keyword: string) => (steps: readonly Step[]) =>
  effective(steps, keyword)?.exec !== undefined

/** Rules beyond the syntax. */
const RULES: readonly Rule[] = [
  {
    what: 'every base image has a tag that is not "latest"',
    holds: (steps) => images(steps).every(isPinned),
  },
  {
    what: 'the last stage runs nothing, because the image has no shell',
    holds: (steps) => named(finalStage(steps), 'RUN').length === 0,
  },
  {
    what: 'the user is numeric and not root',
    holds: (steps) => UNPRIVILEGED_USER.test(effective(steps, 'USER')?.text ?? ''),
  },
  {
    what: 'the files of the image belong to root',
    holds: (steps) =>
      named(finalStage(steps), 'COPY').every(({ flags }) => flags['--chown'] === '0:0') &&
      finalStage(steps).findIndex(({ keyword, text }) => keyword === 'USER' && text === '0:0') <
        finalStage(steps).findIndex(({ keyword }) => keyword === 'WORKDIR'),
  },
  { what: 'ENTRYPOINT is in exec form', holds: inExecForm('ENTRYPOINT') },
  { what: 'CMD is in exec form', holds: inExecForm('CMD') },
  { what: 'HEALTHCHECK is in exec form', holds: inExecForm('HEALTHCHECK') },
  {
    what: 'STOPSIGNAL is SIGTERM',
    holds: (steps) => effective(steps, 'STOPSIGNAL')?.text === 'SIGTERM',
  },
  {
    what: 'packages come from the lockfile, without install scripts',
    holds: (steps) => npmInstalls(steps).every((line) => /^npm ci\b.* --ignore-scripts\b/.test(line)),
  },
  { what: 'ADD is not used', holds: (steps) => named(steps, 'ADD').length === 0 },
  {
    what: 'no secret is an ARG or ENV',
    holds: (steps) =>
      [...named(steps, 'ARG'), ...named(steps, 'ENV')].every(
        ({ text }) => !SECRET_NAME.test(text.split('=')[0] ?? ''),
      ),
  },
  {
    what: `the image has the OCI labels ${REQUIRED_LABELS.join(', ')}`,
    holds: (steps) =>
      REQUIRED_LABELS.every((label) =>
        effective(steps, 'LABEL')?.text.includes(`org.opencontainers.image.${label}="`),
      ),
  },
]

/** Findings of the validator, then broken rules. */
export function dockerfileFindings(text: string): string[] {
  const steps = parseDockerfile(text)
  const syntax = /^# *syntax *=/m.test(text) ? ['broken: no syntax is loaded from a registry'] : []
  const grammar = validate(text).map(({ message, range }) => `line ${range.start.line + 1}: ${message}`)
  return [
    ...grammar,
    ...syntax,
    ...RULES.filter(({ holds }) => !holds(steps)).map(({ what }) => `broken: ${what}`),
  ]
}

/** Base images, with the defaults of build arguments substituted, without names of earlier stages. */
export function images(steps: readonly Step[]): readonly string[] {
  const defaults = new Map(
    named(steps, 'ARG').map(({ text }) => text.split('=') as [string, string | undefined]),
  )
  const stages = new Set(named(steps, 'FROM').map(({ text }) => / AS (\S+)$/i.exec(text)?.[1] ?? ''))
  return named(steps, 'FROM')
    .map(({ text }) =>
      (text.split(' ')[0] ?? '').replaceAll(/\$\{(\w+)\}/g, (_, name) => defaults.get(name) ?? ''),
    )
    .filter((image) => !stages.has(image))
}

function isPinned(image: string): boolean {
  return image.includes('@sha256:') || (/:[\w.-]+$/.test(image) && !image.endsWith(':latest'))
}

function npmInstalls(steps: readonly Step[]): string[] {
  return named(steps, 'RUN')
    .map(({ text }) => text)
    .filter((text) => /\bnpm (ci|i|install|add)\b/.test(text))
}
