import { visibleLines } from '../../text.ts'
import type { Progress } from '../cli/output/progress.ts'
import type { CheckReport } from './check/check.ts'
import { countStatus, renderReport, STATUSES, summaryText } from './check/report.ts'

/** The reports about one subject. */
export interface Section {
  readonly scope: 'configuration' | 'system' | 'prometheus'
  /** The name of the system. */
  readonly system?: string
  readonly headline: string
  readonly reports: readonly CheckReport[]
}

/** Receives the sections as they are ready. */
export interface Output {
  add(section: Section): void
  /** Writes what is left to write. */
  end(): void
  failures(): number
}

export function createOutput(json: boolean, progress: Progress): Output {
  const sections: Section[] = []
  const reports = () => sections.flatMap((section) => section.reports)
  return {
    add(section) {
      sections.push(section)
      if (json) return
      progress.clear()
      process.stdout.write(renderReport(section.headline, section.reports, process.stdout))
    },
    end() {
      progress.clear()
      const text = json
        ? visibleLines(JSON.stringify(jsonOf(sections), undefined, 2))
        : summaryText(reports())
      process.stdout.write(`${text}\n`)
    },
    failures: () => countStatus(reports(), 'fail'),
  }
}

/** The object of `--json`. Members that a finding does not have are null. */
function jsonOf(sections: readonly Section[]) {
  const all = sections.flatMap((section) => section.reports)
  return {
    summary: Object.fromEntries(STATUSES.map((status) => [status, countStatus(all, status)])),
    findings: sections.flatMap(({ scope, system, reports }) =>
      reports.flatMap(({ title, findings }) =>
        findings.map(({ status, subject, text, remedy }) => ({
          scope,
          system: system ?? null,
          check: title,
          status,
          subject: subject ?? null,
          text,
          remedy: remedy ?? null,
        })),
      ),
    ),
  }
}
