import { styleText } from 'node:util'
import { counted, visibleLines, visibleText } from '../../text.ts'
import { type Progress, terminalWidth, wrapped } from '../cli/output/width.ts'
import type { CheckReport, Finding, Status } from './check/check.ts'

const COLOURS: Readonly<Record<Status, 'green' | 'cyan' | 'yellow' | 'red' | 'gray'>> = {
  ok: 'green',
  info: 'cyan',
  warn: 'yellow',
  fail: 'red',
  skip: 'gray',
}

export interface Section {
  readonly scope: 'system' | 'otlp' | 'prometheus'
  /** The name of the system. */
  readonly system?: string
  readonly headline: string
  readonly reports: readonly CheckReport[]
}

export type Output = ReturnType<typeof createOutput>

export function createOutput(json: boolean, progress: Progress) {
  const sections: Section[] = []
  const count = (status: Status) =>
    sections
      .flatMap(({ reports }) => reports.flatMap(({ findings }) => findings))
      .filter((finding) => finding.status === status).length
  return {
    add(section: Section): void {
      sections.push(section)
      if (json) return
      progress.clear()
      process.stdout.write(renderReport(section.headline, section.reports, process.stdout))
    },
    /** Writes what is left to write. */
    end(): void {
      progress.clear()
      const skipped = count('skip')
      const counts = [
        `${count('ok')} ok`,
        counted(count('warn'), 'warning'),
        counted(count('fail'), 'failure'),
      ]
      const text = json
        ? visibleLines(JSON.stringify(jsonOf(sections, count), undefined, 2))
        : [...counts, ...(skipped === 0 ? [] : [`${skipped} skipped`])].join(', ')
      process.stdout.write(`${text}\n`)
    },
    failures: (): number => count('fail'),
  }
}

/** The object of `--json`. Members that a finding does not have are null. */
function jsonOf(sections: readonly Section[], count: (status: Status) => number) {
  return {
    summary: Object.fromEntries(Object.keys(COLOURS).map((status) => [status, count(status as Status)])),
    findings: sections.flatMap(({ scope, system = null, reports }) =>
      reports.flatMap(({ title: check, findings }) =>
        findings.map(({ status, subject = null, text, remedy = null }) => {
          return { scope, system, check, status, subject, text, remedy }
        }),
      ),
    ),
  }
}

const STATUS_WIDTH = 4
const TITLE_WIDTH = 13
const MARGIN = '  '
const TEXT_COLUMN = 3 * MARGIN.length + STATUS_WIDTH + TITLE_WIDTH

/** One line for each finding, with the remedy on the next line. Colours are used if the stream supports them. */
export function renderReport(
  headline: string,
  reports: readonly CheckReport[],
  stream: NodeJS.WriteStream,
): string {
  const lines = reports.flatMap(({ title, findings }) =>
    findings.flatMap((finding) => linesOf(title, finding, stream)),
  )
  return `${[headline, ...lines].join('\n')}\n`
}

function linesOf(
  title: string,
  { status, subject, text, remedy }: Finding,
  stream: NodeJS.WriteStream,
): string[] {
  const coloured = styleText(COLOURS[status], status.padEnd(STATUS_WIDTH), { stream })
  const about = subject === undefined ? '' : `${visibleText(subject)}: `
  const fitted = (line: string, more = 0) => wrapped(line, terminalWidth(stream), TEXT_COLUMN + more)
  const first = `${MARGIN}${coloured}  ${title.padEnd(TITLE_WIDTH)}  ${fitted(`${about}${visibleText(text)}`)}`
  if (remedy === undefined) return [first]
  return [first, `${' '.repeat(TEXT_COLUMN)}→ ${fitted(visibleText(remedy), 2)}`]
}
