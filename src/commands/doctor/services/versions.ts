import { readRules } from '../../../alerting/package_files.ts'
import { readVersion } from '../../../exporter/version.ts'
import { allOf, type Finding } from '../check/check.ts'
import type { LoadedRule } from './prometheus_client.ts'

export const UNMARKED = 'an older version without a mark'

/** Whether rules are of another version than the program. Older ones do not tell it. */
export function ruleVersionFindings(loaded: readonly LoadedRule[]): Finding[] {
  const { record } = readRules().sources.info
  const infos = loaded.filter(({ name }) => name === record)
  const versions = infos.map(({ labels }) => labels['version'] ?? UNMARKED)
  const others = otherVersions(infos.length === 0 ? [UNMARKED] : versions)
  const text = `the loaded rules are of ${others.join(' and ')}, this program is ${readVersion()}`
  return allOf(undefined, [[others.length > 0, 'warn', text, WRITE_RULES]])
}

export function otherVersions(versions: readonly string[]): readonly string[] {
  return [...new Set(versions)].filter((version) => version !== readVersion())
}

const WRITE_RULES =
  'write the rules of this version with sds-exporter rules --out=DIR, replace the loaded ones and reload Prometheus'
