/**
 * Checks the Helm chart and renders it for every case of test/deploy/helm/golden.ts into test/deploy/helm/golden. With
 * `--check` it writes nothing, and fails if a golden file differs. Builds Helm from the Go module proxy into
 * `.cache/helm`, which takes some minutes once. Needs Go.
 *
 *   node scripts/helm.ts [--check]
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import {
  CHART,
  GOLDEN,
  GOLDEN_VERSION,
  HELM_CASES,
  type HelmCase,
  INPUTS_FILE,
  inputsHash,
  NOTES_KIND,
  toGolden,
} from '../test/deploy/helm/golden.ts'
import { built, HELM } from './release/programs.ts'

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')

/** Helm that is built without the flags of its releases takes an old version, which the chart refuses. */
const KUBE_VERSION = '--kube-version=1.34.0'

/** A valid system. */
const SYSTEM =
  'config.systems[0].name=a,config.systems[0].base_url=https://a:4443,config.systems[0].auth.token_file=/t'

/** Values that Helm must refuse, by the schema or a template, with a part of its message. */
const REFUSED: readonly (readonly [string, string])[] = [
  ['systems=1', "additional properties 'systems' not allowed"],
  ['config.systems=null', "missing property 'systems'"],
  ['config.pol.schedule=x', "additional properties 'pol' not allowed"],
  ['image.digest=latest', 'does not match pattern'],
  ['web.tls=true', "'anyOf' failed"],
  ['extraArgs[0]=--web.listen-address=:1', "'not' failed"],
  ['enabled=false', 'value must be true'],
  [`probes.enabled=true,${SYSTEM},config.systems[0].poll.schedule=0 0 * * * *`, 'a has a poll.schedule'],
  ['ingress.enabled=true', "'anyOf' failed"],
  ['fullnameOverride=storage.a', 'must begin with a letter'],
  ['prometheusRule.enabled=true,config.alerting.overrides[0].system=a', 'overrides is not supported'],
  ['prometheusRule.enabled=true,config.alerting.thresholds.garbage_stalled=1500ms', 'must be whole seconds'],
  ['prometheusRule.enabled=true,config.alerting.thresholds.bootstrap_stalled=0s', 'must be whole seconds'],
  ['prometheusRule.enabled=true,config.alerting.thresholds.backlog_growth=1h', 'more than 3600s'],
]

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const helm = built('helm')
const temporary = mkdtempSync(join(tmpdir(), 'sds-exporter-helm-'))
try {
  for (const [name, one] of Object.entries(HELM_CASES)) lint(name, one)
  for (const [setting, words] of REFUSED) mustRefuse(setting, words)
  mustBeDependency()
  compareOrWrite(goldenFiles())
} catch (failure) {
  process.stderr.write(`helm: ${failure instanceof Error ? failure.message : String(failure)}\n`)
  process.exitCode = 1
} finally {
  rmSync(temporary, { recursive: true })
}

function lint(name: string, one: HelmCase): void {
  const { status, output } = run('lint', '--strict', '--quiet', ...flagsOf(one), join(root, CHART))
  if (status !== 0) throw new Error(`helm lint fails for the case ${name}:\n${output}`)
}

function mustRefuse(setting: string, words: string): void {
  const { status, output } = run('template', KUBE_VERSION, `--set=${setting}`, join(root, CHART))
  if (status === 0 || !output.includes(words))
    throw new Error(`helm should refuse ${setting} with "${words}", but said:\n${output}`)
}

/**
 * The chart as a dependency with another name and a condition, of a release with the longest name, for the versions of
 * Kubernetes that managed clusters report.
 */
function mustBeDependency(): void {
  const parent = join(temporary, 'parent')
  cpSync(join(root, CHART), join(parent, 'charts/sds-exporter'), { recursive: true })
  const dependency = '{name: sds-exporter, version: ">=0.0.0-0", alias: storage, condition: storage.enabled}'
  writeFileSync(
    join(parent, 'Chart.yaml'),
    `apiVersion: v2\nname: parent\nversion: 1.0.0\ndependencies: [${dependency}]\n`,
  )
  for (const version of ['1.33.4-gke.1172000', 'v1.33.5-eks-113cf36'])
    for (const isEnabled of [true, false]) {
      const settings = `--set=storage.enabled=${isEnabled},global.region=a`
      const { status, output } = run(
        'template',
        'a'.repeat(53),
        parent,
        `--kube-version=${version}`,
        settings,
      )
      if (status !== 0 || /^kind: Deployment$/m.test(output) !== isEnabled)
        throw new Error(`as a dependency, with ${settings} and Kubernetes ${version}:\n${output}`)
    }
}

/** Texts by path. */
function goldenFiles(): ReadonlyMap<string, string> {
  const chart = copyForGolden()
  const files = new Map([[INPUTS_FILE, `${inputsHash(root)}\n`]])
  for (const [name, one] of Object.entries(HELM_CASES)) {
    const { status, output } = run('template', one.release, chart, ...flagsOf(one))
    if (status !== 0) throw new Error(`helm template fails for the case ${name}:\n${output}`)
    const { objects, notes } = toGolden(output, one, root)
    files.set(`${GOLDEN}/${name}.yaml`, objects)
    files.set(`${GOLDEN}/notes/${name}.txt`, notes)
  }
  return files
}

/** A copy of the chart with the version of golden files, and with its notes as an object: `helm template` omits them. */
function copyForGolden(): string {
  const copy = join(temporary, 'sds-exporter')
  cpSync(join(root, CHART), copy, { recursive: true })
  const text = (path: string) => readFileSync(join(copy, path), 'utf8')
  const write = (path: string, content: string) => writeFileSync(join(copy, path), content)
  const version = text('Chart.yaml').replaceAll(/^(version|appVersion): .*$/gm, `$1: ${GOLDEN_VERSION}`)
  write('Chart.yaml', version)
  write('templates/_notes.tpl', `{{- define "notes" -}}${text('templates/NOTES.txt')}{{- end -}}\n`)
  write(
    'templates/notes.yaml',
    `apiVersion: v1\nkind: ${NOTES_KIND}\nmetadata: {name: notes}\ntext: {{ include "notes" . | toJson }}\n`,
  )
  return copy
}

function flagsOf({ namespace, values }: HelmCase): string[] {
  return [KUBE_VERSION, `--namespace=${namespace}`, ...values.map((path) => `--values=${join(root, path)}`)]
}

function compareOrWrite(files: ReadonlyMap<string, string>): void {
  const differs = [...files].filter(([path, text]) => read(path) !== text)
  if (values.check && differs.length > 0) {
    const names = differs.map(([path]) => path).join('\n')
    throw new Error(`these files differ from what Helm renders; write them with npm run helm:\n${names}`)
  }
  for (const [path, text] of differs) {
    mkdirSync(join(root, GOLDEN, 'notes'), { recursive: true })
    writeFileSync(join(root, path), text)
    process.stdout.write(`wrote ${path}\n`)
  }
  process.stdout.write(
    `helm ${HELM.version}: ${Object.keys(HELM_CASES).length} cases are valid and rendered\n`,
  )
}

function read(path: string): string | undefined {
  const file = join(root, path)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

/** Runs Helm with an own home, without a cluster. */
function run(...args: readonly string[]): { status: number | null; output: string } {
  const env = { PATH: process.env['PATH'], HOME: temporary, KUBECONFIG: join(temporary, 'none') }
  const { status, stdout, stderr, error } = spawnSync(helm, args, {
    encoding: 'utf8',
    env,
    maxBuffer: 64 * 1024 * 1024,
  })
  if (error !== undefined)
    throw new Error(`${helm} cannot be run (${error.message}); remove it and try again`)
  return { status, output: status === 0 ? stdout : stdout + stderr }
}
