import { z } from 'zod'
import { configurationSchema } from './config_schema.ts'

const flag = z.boolean()
const text = z.string()
const name = text.regex(/^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$/).max(253)
const labels = z.record(text, text)
/** Objects of Kubernetes, which checks them itself. */
const object = z.record(text, z.unknown())
const objects = z.array(object)
const port = z.int().min(1).max(65_535)
const duration = text.regex(/^(\d+(ms|s|m|h))+$/)
const cidr = text.regex(/^[0-9a-fA-F.:]+\/\d{1,3}$/)

const image = z.strictObject({
  repository: text.min(1),
  tag: text,
  digest: text.regex(/^(sha256:[0-9a-f]{64})?$/),
  pullPolicy: z.enum(['', 'Always', 'IfNotPresent', 'Never']),
  pullSecrets: z.array(name.min(1)),
})

const probes = z.strictObject({
  enabled: flag,
  scrapeConfig: z.strictObject({ enabled: flag, interval: duration, scrapeTimeout: duration, labels }),
})

const networkPolicy = z.strictObject({
  enabled: flag,
  from: objects.min(1),
  dns: z.strictObject({ kubeSystem: flag, nodeLocal: z.union([z.literal(''), cidr]), openshift: flag }),
  systems: z.array(z.strictObject({ cidr, ports: z.array(port).min(1) })),
  extraEgress: objects,
})

const serviceMonitor = z.strictObject({
  enabled: flag,
  interval: duration,
  scrapeTimeout: duration,
  labels,
  tlsConfig: object,
  basicAuth: object,
})

/** The values of the chart, without `config`. */
const VALUES = z.strictObject({
  replicaCount: z.int().min(0),
  demo: flag,
  image,
  existingConfigMap: name,
  credentials: z.strictObject({ existingSecret: name }),
  probes,
  web: z.strictObject({ existingSecret: name, tls: flag }),
  admin: z.strictObject({ enabled: flag, existingSecret: name, allowedHosts: z.array(text), from: objects }),
  extraArgs: z.array(text.regex(/^--/)),
  extraEnv: objects,
  extraVolumes: objects,
  extraVolumeMounts: objects,
  resources: object,
  fixedUser: flag,
  podSecurityContext: object,
  securityContext: object,
  serviceAccount: z.strictObject({ create: flag, name, annotations: labels }),
  service: z.strictObject({
    type: z.enum(['ClusterIP', 'NodePort', 'LoadBalancer']),
    port,
    annotations: labels,
  }),
  networkPolicy,
  podDisruptionBudget: z.strictObject({
    enabled: flag,
    maxUnavailable: z.union([z.int().min(0), text.regex(/^\d+%$/)]),
  }),
  serviceMonitor,
  prometheusRule: z.strictObject({ enabled: flag, labels }),
  alertmanagerConfig: z.strictObject({ enabled: flag, labels }),
  dashboards: z.strictObject({ enabled: flag, labels, annotations: labels }),
  commonLabels: labels,
  commonAnnotations: labels,
  podLabels: labels,
  podAnnotations: labels,
  nodeSelector: labels,
  tolerations: objects,
  affinity: object,
  topologySpreadConstraints: objects,
  priorityClassName: text,
  fullnameOverride: name,
  // Helm adds it for charts that depend on this one.
  global: object.optional(),
})

/**
 * The JSON Schema of the values, with that of the configuration file for `config`. It is of draft 7, because Helm before
 * 3.18 supports no later one.
 */
export function valuesSchema(): string {
  const { $schema: _draft, properties, ...values } = z.toJSONSchema(VALUES, { target: 'draft-7' })
  const { $schema: _same, definitions, ...config } = configurationSchema('draft-7')
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the Helm chart sds-exporter',
    ...values,
    properties: { ...properties, config },
    definitions,
  }
  return `${JSON.stringify(schema, null, 2)}\n`
}
