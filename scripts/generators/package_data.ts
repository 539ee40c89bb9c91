import { dashboardTemplates, type RenderedFile } from '../../grafana/mixin/dashboards/build.ts'
import { findPointers } from '../../grafana/mixin/references.ts'
import { STATUS_INHIBITIONS } from '../../grafana/mixin/rules/inhibition.ts'
import { RULE_SOURCES } from '../../grafana/mixin/rules/rules.ts'
import { PROMETHEUS } from '../../grafana/mixin/settings.ts'
import { DEFAULT_LIMITS, DEFAULT_THRESHOLDS } from '../../grafana/mixin/thresholds.ts'
import type { PackagedRules } from '../../src/alerting/package_files.ts'

/** Contains only generated files. */
export const PACKAGE_DATA_FOLDER = 'src/alerting/generated'

export const PACKAGED_RULES: PackagedRules = {
  settings: { ...DEFAULT_THRESHOLDS, ...DEFAULT_LIMITS },
  job: PROMETHEUS.job,
  sources: RULE_SOURCES,
  inhibitions: STATUS_INHIBITIONS,
}

/** What `src/alerting/package_files.ts` reads: sources of rules, and pointers of references in dashboards. */
export function packageData(): readonly RenderedFile[] {
  const pointers = dashboardTemplates().map((template) => [template.uid, findPointers(template)])
  return [file('rules.json', PACKAGED_RULES), file('pointers.json', Object.fromEntries(pointers))]
}

function file(name: string, data: unknown): RenderedFile {
  return { path: `${PACKAGE_DATA_FOLDER}/${name}`, text: `${JSON.stringify(data, null, 2)}\n` }
}
