import { z } from 'zod'
import { RESOURCE_FAMILIES } from '../../system_catalogue.ts'
import { DESPITE_OTHERS } from './schema_problems.ts'

/** Labels of metrics that the exporter or Prometheus sets. A target label of the same name would rename or hide them. */
export const RESERVED_LABELS: readonly string[] = [
  ...`system pool pool_id node node_id api_change rack address status level purpose category error_type history_days
    target_percent operation interface le attribute state source provider provider_id result code reason version
    node_version job instance resource`.split(/\s+/),
  ...new Set(RESOURCE_FAMILIES.flatMap(({ labels }) => labels)),
]

const NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/
const MAX_LABELS = 20
const MAX_VALUE_LENGTH = 200

const value = z
  .string('expected text; put numbers and true or false in quotes')
  .min(1, 'must not be empty')
  .max(MAX_VALUE_LENGTH, `must have at most ${MAX_VALUE_LENGTH} characters`)

export const labelsSchema = z
  .record(z.string(), value, 'expected a mapping of label names to text')
  .superRefine((labels, context) => {
    const names = Object.keys(labels)
    if (names.length > MAX_LABELS)
      context.addIssue({ code: 'custom', message: `must have at most ${MAX_LABELS} labels` })
    for (const name of names) {
      const message = nameProblem(name)
      if (message !== undefined) context.addIssue({ code: 'custom', message, path: [name] })
    }
  }, DESPITE_OTHERS)

function nameProblem(name: string): string | undefined {
  if (!NAME.test(name))
    return 'not a label name: use letters, digits and underscores, and no digit at the start'
  if (name.startsWith('__')) return 'label names that begin with two underscores are reserved by Prometheus'
  if (RESERVED_LABELS.includes(name)) return 'the metrics have this label already: choose another name'
  return undefined
}
