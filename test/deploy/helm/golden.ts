import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { type AlertingConfig, DEFAULT_ALERTING } from '../../../src/alerting/config.ts'
import { dashboardsWith, defaultsOf, readRules } from '../../../src/alerting/package_files.ts'
import { ruleContents } from '../../../src/alerting/rules.ts'
import { loadAlerting } from '../../../src/config/load.ts'

export const CHART = 'deploy/helm/sds-exporter'
export const GOLDEN = 'test/deploy/helm/golden'
/** The hash of the inputs from which the golden files were rendered. */
export const INPUTS_FILE = `${GOLDEN}/inputs.sha256`

/** One installation of the chart. */
export interface HelmCase {
  readonly release: string
  readonly namespace: string
  /** Files with values, from the root of the repository; later ones win. */
  readonly values: readonly string[]
  /** A configuration file with the section `alerting` of the values. */
  readonly alerting?: string
}

const EXAMPLES = 'deploy/helm/values'
const production = `${EXAMPLES}/production.yaml`
const NAMES = { release: 'sds-exporter', namespace: 'sds-exporter' }

/** The installations of which golden files are kept, by the name of the file. */
export const HELM_CASES: Readonly<Record<string, HelmCase>> = {
  default: { ...NAMES, values: [] },
  demo: { ...NAMES, namespace: 'sds-exporter-demo', values: [`${EXAMPLES}/demo.yaml`] },
  production: { ...NAMES, values: [production] },
  openshift: { ...NAMES, values: [production, `${EXAMPLES}/openshift.yaml`] },
  secured: { ...NAMES, values: [production, `${EXAMPLES}/secured.yaml`] },
  probes: { ...NAMES, values: [`${EXAMPLES}/probes.yaml`] },
  systems: { ...NAMES, values: [production, `${EXAMPLES}/systems.yaml`] },
  all: {
    ...NAMES,
    namespace: 'monitoring',
    values: ['test/deploy/helm/all.yaml'],
    alerting: 'test/deploy/helm/alerting.yml',
  },
  least: { release: 'ecs', namespace: 'monitoring', values: ['test/deploy/helm/least.yaml'] },
  numbers: { release: '2026', namespace: '1', values: ['test/deploy/helm/numbers.yaml'] },
}

/** The version of the chart in golden files, so that a new version of the product does not change them. */
export const GOLDEN_VERSION = '0.0.0-golden'

/** Links to generated files. Golden files refer to what the program writes of them. */
const LINKED = 'files/**/*.*'
/** Not in the hash, because what is rendered does not depend on them, or only on the version. */
const WITHOUT_EFFECT = ['Chart.yaml', 'README.md', 'values.schema.json']

/** The hash of everything that decides what Helm renders, hexadecimal. Of the linked files, only the names. */
export function inputsHash(root: string): string {
  const chart = globSync('{*,.helmignore,templates/**/*}', { cwd: `${root}/${CHART}`, withFileTypes: true })
    .filter((entry) => entry.isFile() && !WITHOUT_EFFECT.includes(entry.name))
    .map(({ parentPath, name }) => `${parentPath}/${name}`)
  const values = Object.values(HELM_CASES).flatMap((one) => one.values.map((path) => `${root}/${path}`))
  const texts = [...new Set([...chart, ...values])]
    .sort()
    .map((path) => [path.slice(root.length), readFileSync(path, 'utf8')])
  const names = globSync(LINKED, { cwd: `${root}/${CHART}` }).sort()
  return createHash('sha256')
    .update(JSON.stringify([HELM_CASES, texts, names]))
    .digest('hex')
}

type Mapping = { readonly [key: string]: unknown }

/** What Helm renders for a case, as golden files. */
export interface Rendered {
  readonly objects: string
  readonly notes: string
}

/** The kind under which the script lets Helm render the notes. */
export const NOTES_KIND = 'Notes'

/**
 * Golden files of the output of `helm template`. Rules, dashboards and inhibition rules are replaced by `{$program: NAME}`.
 * @throws if one of them is not what the program writes with the settings of the case
 */
export function toGolden(output: string, one: HelmCase, root: string): Rendered {
  const all = parseAllDocuments(output).map((document) => document.toJS() as Mapping)
  const notes = all.find(({ kind }) => kind === NOTES_KIND)?.['text']
  const written = writtenByProgram(one, root)
  const objects = all
    .filter(({ kind }) => kind !== NOTES_KIND)
    .map((object) => withContent(object, (content) => nameOf(content, object, written)))
  return {
    objects: objects.map((object) => stringify(object, { lineWidth: 0 })).join('---\n'),
    notes: `${String(notes).trim()}\n`,
  }
}

/** The objects of a golden file, with what the program writes, and with this version of the chart. */
export function fromGolden(text: string, one: HelmCase, root: string, version: string): Mapping[] {
  const written = writtenByProgram(one, root)
  return parseAllDocuments(text.replaceAll(GOLDEN_VERSION, version)).map((document) =>
    withContent(document.toJS() as Mapping, (content) => written[(content as { $program: string }).$program]),
  )
}

/** What the program writes with the settings of a case, as parsed contents by the name in golden files. */
function writtenByProgram({ alerting }: HelmCase, root: string): Readonly<Record<string, unknown>> {
  const config: AlertingConfig =
    alerting === undefined ? DEFAULT_ALERTING : loadAlerting(`${root}/${alerting}`, {})
  const rules = readRules()
  const inhibition = parse(readFileSync(`${root}/${CHART}/files/inhibition.yaml`, 'utf8'))
  return {
    ...ruleContents(rules.sources, defaultsOf(rules), config),
    ...Object.fromEntries(dashboardsWith(config).map((dashboard) => [`${dashboard.uid}.json`, dashboard])),
    inhibition: inhibition.spec,
  }
}

function nameOf(content: unknown, object: Mapping, written: Readonly<Record<string, unknown>>): unknown {
  const found = Object.entries(written).find(([, value]) => isDeepStrictEqual(value, content))
  if (found !== undefined) return { $program: found[0] }
  const { name } = object['metadata'] as { readonly name: string }
  throw new Error(`the content of ${object['kind']} ${name} is not what the program writes`)
}

/** An object whose content that the program writes, if it has any, is replaced. JSON of a dashboard is parsed. */
function withContent(object: Mapping, replace: (content: unknown) => unknown): Mapping {
  const { kind, spec, data } = object
  if (kind === 'PrometheusRule' || kind === 'AlertmanagerConfig') return { ...object, spec: replace(spec) }
  if (kind !== 'ConfigMap' || typeof data !== 'object' || data === null) return object
  const entries = Object.entries(data).map(([name, content]): [string, unknown] => {
    if (!name.endsWith('.json')) return [name, content]
    return typeof content === 'string'
      ? [name, replace(JSON.parse(content))]
      : [name, `${JSON.stringify(replace(content), null, 2)}\n`]
  })
  return { ...object, data: Object.fromEntries(entries) }
}
