import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, posix } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { isMapping, type Mapping, strategicMerge } from './strategic_merge.ts'

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

/** As much of kustomize as our files use. Another key is an error, so that the test cannot overlook one. */
const kustomizationSchema = z.strictObject({
  apiVersion: z.literal('kustomize.config.k8s.io/v1beta1'),
  kind: z.literal('Kustomization'),
  namespace: z.string().optional(),
  resources: z.array(z.string()),
  configMapGenerator: z.array(z.strictObject({ name: z.string(), files: z.array(z.string()) })).default([]),
  patches: z.array(z.strictObject({ path: z.string() })).default([]),
  images: z.array(z.strictObject({ name: z.string(), newName: z.string(), newTag: z.string() })).default([]),
})
type Kustomization = z.output<typeof kustomizationSchema>

/** Kinds that belong to no namespace. */
const CLUSTER_KINDS = ['Namespace']

/** What `kubectl kustomize FOLDER` prints, as objects; names of generated ConfigMaps get no digest. */
export function kustomize(folder: string): readonly KubernetesObject[] {
  const file = posix.join(folder, 'kustomization.yaml')
  const rules = kustomizationSchema.parse(parse(readFileSync(file, 'utf8')))
  const objects = rules.resources.flatMap((resource) => load(posix.join(folder, resource)))
  const generated = rules.configMapGenerator.map((generator) => configMap(folder, generator))
  const patches = rules.patches.flatMap(({ path }) => load(posix.join(folder, path)))
  return patches
    .reduce(applyPatch, [...objects, ...generated])
    .map((object) => withImages(object, rules) as KubernetesObject)
    .map((object) => withNamespace(object, rules))
}

function load(path: string): readonly KubernetesObject[] {
  if (!existsSync(path)) throw new Error(`${path} does not exist`)
  if (statSync(path).isDirectory()) return kustomize(path)
  const documents = parseAllDocuments(readFileSync(path, 'utf8'))
  return documents.map((document) => document.toJS() as KubernetesObject)
}

function configMap(folder: string, generator: { name: string; files: readonly string[] }): KubernetesObject {
  const files = generator.files.map((file) => {
    if (file.startsWith('..')) throw new Error(`kustomize reads no file outside of ${folder}: ${file}`)
    return [basename(file), readFileSync(posix.join(folder, file), 'utf8')]
  })
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: generator.name },
    data: Object.fromEntries(files),
  }
}

function applyPatch(
  objects: readonly KubernetesObject[],
  patch: KubernetesObject,
): readonly KubernetesObject[] {
  const isTarget = ({ kind, metadata }: KubernetesObject) =>
    kind === patch.kind && metadata.name === patch.metadata.name
  if (!objects.some(isTarget)) throw new Error(`no ${patch.kind} ${patch.metadata.name} to be patched`)
  return objects.map((object) =>
    isTarget(object) ? (strategicMerge(object, patch) as KubernetesObject) : object,
  )
}

function withImages(value: unknown, { images }: Kustomization): unknown {
  if (Array.isArray(value)) return value.map((item) => withImages(item, { images } as Kustomization))
  if (!isMapping(value)) return value
  const entries = Object.entries(value).map(([key, member]) => {
    const image = images.find(({ name }) => key === 'image' && name === member)
    return [key, image ? `${image.newName}:${image.newTag}` : withImages(member, { images } as Kustomization)]
  })
  return Object.fromEntries(entries)
}

function withNamespace(object: KubernetesObject, { namespace }: Kustomization): KubernetesObject {
  if (namespace === undefined) return object
  if (CLUSTER_KINDS.includes(object.kind)) return object
  return { ...object, metadata: { ...object.metadata, namespace } }
}
