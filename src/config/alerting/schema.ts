import { z } from 'zod'
import type { AlertingConfig, Tuning } from '../../alerting/config.ts'
import type { PackagedRules } from '../../alerting/package_files.ts'
import { CLUSTER_HIDE, CLUSTER_PATH } from '../../alerting/sources.ts'
import { labelsSchema } from '../values/labels_schema.ts'
import { typeMessage } from '../values/schema_problems.ts'
import { httpUrl } from '../values/urls.ts'
import { alertsKeys } from './alerts_schema.ts'
import { alertingProblems } from './problems.ts'
import { thresholdsSchema } from './thresholds_schema.ts'

const filled = z.string('expected text').min(1, 'must not be empty')
const job = filled.regex(/^[\w./:-]+$/, 'may contain letters, digits and _ . / : - only')
/** Labels that the rules set, beside those of the metrics. */
const RULE_LABELS = ['alertname', 'severity', 'component']
const labels = labelsSchema.superRefine((own, context) => {
  for (const name of RULE_LABELS.filter((label) => label in own))
    context.addIssue({ code: 'custom', message: 'the rules set this label', path: [name] })
})
const link = httpUrl('everybody who sees an alert sees its links')

/**
 * The section `alerting`, with the names of the rules.
 * @param systems names of the systems in the same file; undefined if it has none
 */
export function alertingSchema(
  rules: PackagedRules,
  systems: readonly string[] | undefined,
): z.ZodType<AlertingConfig> {
  const tuning = { thresholds: thresholdsSchema(rules.settings).prefault({}), ...alertsKeys(rules.sources) }
  const override = z
    .strictObject(
      { system: filled, pool: filled.optional(), ...tuning },
      typeMessage('expected a mapping with the key system'),
    )
    .transform(({ system, pool, ...file }) => ({ system, pool, ...tuningOf(file) }))
  const section = z
    .strictObject(
      {
        runbook_base_url: link.optional(),
        grafana_url: link.optional(),
        job: job.optional(),
        show_cluster: z.boolean('expected true or false').optional(),
        labels: labels.prefault({}),
        ...tuning,
        overrides: z.array(override, 'expected a list of overrides').prefault([]),
      },
      typeMessage('expected a mapping'),
    )
    .transform(({ job, show_cluster, labels, overrides, ...file }): AlertingConfig => {
      const tuning = tuningOf(file)
      return {
        runbookBaseUrl: file.runbook_base_url,
        grafanaUrl: file.grafana_url,
        labels,
        ...tuning,
        values: {
          ...tuning.values,
          ...(job !== undefined && { job }),
          ...(show_cluster && { [CLUSTER_PATH]: CLUSTER_HIDE.shown }),
        },
        overrides,
      }
    })
  return section.superRefine((config, context) => {
    for (const { path, message } of alertingProblems(config, rules, systems)) {
      context.addIssue({ code: 'custom', path: [...path], message })
    }
  })
}

interface TuningKeys {
  readonly thresholds: Tuning['values']
  readonly for: Tuning['for']
  readonly keep_firing_for: Tuning['keepFiringFor']
  readonly disabled: Tuning['disabled']
}

function tuningOf(file: TuningKeys): Tuning {
  return {
    values: file.thresholds,
    for: file.for,
    keepFiringFor: file.keep_firing_for,
    disabled: file.disabled,
  }
}
