import { symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  PrometheusRule,
  ServiceMonitor,
} from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1'
import {
  AlertmanagerConfig,
  ScrapeConfig,
} from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1alpha1'
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1'
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { ConfigMap, Namespace, Service, ServiceAccount } from 'kubernetes-models/v1'
import { temporaryFolder } from '../../support/folders.ts'
import { run } from '../../support/processes.ts'
import type { KubernetesObject } from './kustomize.ts'

/** The kinds in deploy/kubernetes and deploy/helm, with their model and the module of their types. */
const KINDS = {
  AlertmanagerConfig: {
    model: AlertmanagerConfig,
    module: '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1alpha1',
  },
  ConfigMap: { model: ConfigMap, module: 'kubernetes-models/v1' },
  Deployment: { model: Deployment, module: 'kubernetes-models/apps/v1' },
  Ingress: { model: Ingress, module: 'kubernetes-models/networking.k8s.io/v1' },
  Namespace: { model: Namespace, module: 'kubernetes-models/v1' },
  NetworkPolicy: { model: NetworkPolicy, module: 'kubernetes-models/networking.k8s.io/v1' },
  PodDisruptionBudget: { model: PodDisruptionBudget, module: 'kubernetes-models/policy/v1' },
  PrometheusRule: {
    model: PrometheusRule,
    module: '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1',
  },
  ScrapeConfig: {
    model: ScrapeConfig,
    module: '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1alpha1',
  },
  Service: { model: Service, module: 'kubernetes-models/v1' },
  StatefulSet: { model: StatefulSet, module: 'kubernetes-models/apps/v1' },
  ServiceAccount: { model: ServiceAccount, module: 'kubernetes-models/v1' },
  ServiceMonitor: {
    model: ServiceMonitor,
    module: '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1',
  },
} as const
type Kind = keyof typeof KINDS

function kindOf({ kind, metadata }: KubernetesObject): Kind {
  if (kind in KINDS) return kind as Kind
  throw new Error(`${kind} ${metadata.name}: no schema; add the kind to KINDS`)
}

/** Schema violations of an object: missing members, wrong types, versions and values. */
export function schemaFindings(object: KubernetesObject): string[] {
  const { model: Model } = KINDS[kindOf(object)]
  if (object.apiVersion !== Model.apiVersion)
    return [`${object.kind} must have apiVersion ${Model.apiVersion}, not ${object.apiVersion}`]
  try {
    new Model(object as never).validate()
    return []
  } catch (failure) {
    return [`${object.kind} ${object.metadata.name}: ${failure instanceof Error ? failure.message : failure}`]
  }
}

/**
 * Members that are not in the types, which Kubernetes would ignore: the compiler rejects them in an object literal.
 * @returns messages of the compiler
 */
export async function unknownMembers(objects: readonly KubernetesObject[]): Promise<string[]> {
  using folder = temporaryFolder()
  symlinkSync(resolve('node_modules'), join(folder.path, 'node_modules'))
  folder.write('package.json', '{"type": "module"}')
  const file = folder.write('objects.ts', objects.map(typedLiteral).join('\n'))
  const tsc = resolve('node_modules/.bin/tsc')
  const flags = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', '']
  const { stdout } = await run(tsc, [...flags, file], { cwd: folder.path, timeout: 60_000 })
  return stdout.split('\n').filter((line) => line !== '')
}

function typedLiteral(object: KubernetesObject, index: number): string {
  const kind = kindOf(object)
  return `export const o${index}: import('${KINDS[kind].module}').I${kind} = ${JSON.stringify(object, null, 1)}`
}
