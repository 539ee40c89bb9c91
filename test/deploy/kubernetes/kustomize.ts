import { cpSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { temporaryFolder } from '../../support/folders.ts'
import { type Finished, run } from '../../support/processes.ts'
import { toolPath } from '../../support/tools.ts'

export type Mapping = { readonly [key: string]: unknown }

/** An object of Kubernetes, as it would be applied. */
export interface KubernetesObject extends Mapping {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
  }
}

const ROOTS = ['deploy/kubernetes', 'deploy/prometheus', 'grafana']

/** The objects that `kubectl kustomize` renders from a folder of the repository. */
export async function kustomize(folder: string): Promise<readonly KubernetesObject[]> {
  if (!(await hasOldKustomize())) return render(folder)
  using copy = temporaryFolder()
  for (const root of ROOTS) cpSync(root, join(copy.path, root), { recursive: true })
  for (const file of globSync(join(copy.path, '**/kustomization.yaml'))) useOldFields(file)
  return await render(join(copy.path, relative('.', folder)))
}

async function render(folder: string): Promise<readonly KubernetesObject[]> {
  const { stdout } = await kubectl(['kustomize', folder])
  return parseAllDocuments(stdout).map((document) => document.toJS() as KubernetesObject)
}

/** Until version 1.20, which Debian 12 has, kubectl contained kustomize 2.0.3. */
async function hasOldKustomize(): Promise<boolean> {
  const { stdout } = await kubectl(['version', '--client'])
  const [, minor] = /\bv1\.(\d+)/.exec(stdout) ?? []
  return Number(minor) <= 20
}

/**
 * Rewrites a kustomization with the fields of kustomize 2: `bases` for folders among the resources, and
 * `patchesStrategicMerge`. Newer versions still read them but report them as deprecated.
 */
function useOldFields(file: string): void {
  const { resources = [], patches = [], ...rest } = parse(readFileSync(file, 'utf8'))
  const isFolder = (resource: string) => statSync(join(dirname(file), resource)).isDirectory()
  const old = {
    ...rest,
    bases: resources.filter((resource: string) => isFolder(resource)),
    resources: resources.filter((resource: string) => !isFolder(resource)),
    patchesStrategicMerge: patches.map(({ path }: { path: string }) => path),
  }
  writeFileSync(file, stringify(old))
}

async function kubectl(args: readonly string[]): Promise<Finished> {
  const done = await run(toolPath('kubectl'), args, { timeout: 60_000 })
  if (done.code !== 0 || done.stderr !== '') throw new Error(`kubectl ${args.join(' ')}: ${done.stderr}`)
  return done
}
