import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { parse, parseAllDocuments, stringify } from 'yaml'

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
  all: { ...NAMES, namespace: 'monitoring', values: ['test/deploy/helm/all.yaml'] },
  least: { release: 'ecs', namespace: 'monitoring', values: ['test/deploy/helm/least.yaml'] },
}

/** The version of the chart in golden files, so that a new version of the product does not change them. */
export const GOLDEN_VERSION = '0.0.0-golden'

/** Links to generated files, which the templates copy unchanged: golden files refer to these files. */
const COPIED = 'files/**/*.*'
/** Not in the hash, because what is rendered does not depend on them, or only on the version. */
const WITHOUT_EFFECT = ['Chart.yaml', 'README.md', 'values.schema.json']

/** The hash of everything that decides what Helm renders, hexadecimal. Of the copied files, only the names. */
export function inputsHash(root: string): string {
  const chart = globSync('{*,.helmignore,templates/**/*}', { cwd: `${root}/${CHART}`, withFileTypes: true })
    .filter((entry) => entry.isFile() && !WITHOUT_EFFECT.includes(entry.name))
    .map(({ parentPath, name }) => `${parentPath}/${name}`)
  const values = Object.values(HELM_CASES).flatMap((one) => one.values.map((path) => `${root}/${path}`))
  const texts = [...new Set([...chart, ...values])]
    .sort()
    .map((path) => [path.slice(root.length), readFileSync(path, 'utf8')])
  const names = globSync(COPIED, { cwd: `${root}/${CHART}` }).sort()
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
 * Golden files of the output of `helm template`. Content of copied files is replaced by `{$file: PATH}`.
 * @throws if a template does not copy a file, or the `spec` of its object, unchanged
 */
export function toGolden(output: string, root: string): Rendered {
  const all = parseAllDocuments(output).map((document) => document.toJS() as Mapping)
  const notes = all.find(({ kind }) => kind === NOTES_KIND)?.['text']
  const objects = all.filter(({ kind }) => kind !== NOTES_KIND).map((object) => abbreviate(object, root))
  return {
    objects: objects.map((object) => stringify(object, { lineWidth: 0 })).join('---\n'),
    notes: `${String(notes).trim()}\n`,
  }
}

/** The objects of a golden file, with the content of copied files, and with this version of the chart. */
export function fromGolden(text: string, root: string, version: string): Mapping[] {
  return parseAllDocuments(text.replaceAll(GOLDEN_VERSION, version)).map((document) => {
    const object = document.toJS() as Mapping
    const key = copiedKey(object)
    if (key === undefined) return object
    const { $file } = object[key] as { readonly $file: string }
    return { ...object, [key]: copiedValue(key, $file, root) }
  })
}

function abbreviate(object: Mapping, root: string): Mapping {
  const key = copiedKey(object)
  if (key === undefined) return object
  const files = globSync(COPIED, { cwd: `${root}/${CHART}` })
  const file = files.find((path) => isDeepStrictEqual(copiedValue(key, path, root), object[key]))
  if (file === undefined)
    throw new Error(`${key} of a ${object['kind']} is not the content of a file of the chart`)
  return { ...object, [key]: { $file: file } }
}

/** The member of an object that has the content of a copied file. */
function copiedKey({ kind, data }: Mapping): 'spec' | 'data' | undefined {
  if (kind === 'PrometheusRule' || kind === 'AlertmanagerConfig') return 'spec'
  const isDashboard =
    kind === 'ConfigMap' && Object.keys(data ?? {}).some((name) => /\.json$|^\$file$/.test(name))
  return isDashboard ? 'data' : undefined
}

function copiedValue(key: 'spec' | 'data', path: string, root: string): unknown {
  const text = readFileSync(`${root}/${CHART}/${path}`, 'utf8')
  if (key === 'data') return { [path.replace(/^.*\//, '')]: text }
  const content = parse(text)
  return content.spec ?? content
}
