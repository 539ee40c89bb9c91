import { styleText } from 'node:util'
import { counted, visibleText } from '../../../text.ts'
import type { CheckReport, Finding, Status } from './check.ts'

const COLOURS: Readonly<Record<Status, 'green' | 'cyan' | 'yellow' | 'red' | 'gray'>> = {
  ok: 'green',
  info: 'cyan',
  warn: 'yellow',
  fail: 'red',
  skip: 'gray',
}
export const STATUSES = Object.keys(COLOURS) as readonly Status[]

const STATUS_WIDTH = 4
const TITLE_WIDTH = 13
const MARGIN = '  '

/**
 * Formats a headline and the findings, one line each, with the remedy on the next line.
 * @param stream the output; colours are used if it supports them
 */
export function renderReport(
  headline: string,
  reports: readonly CheckReport[],
  stream: NodeJS.WritableStream,
): string {
  const lines = reports.flatMap(({ title, findings }) =>
    findings.flatMap((finding) => linesOf(title, finding, stream)),
  )
  return `${[headline, ...lines].join('\n')}\n`
}

function linesOf(
  title: string,
  { status, subject, text, remedy }: Finding,
  stream: NodeJS.WritableStream,
): string[] {
  const coloured = styleText(COLOURS[status], status.padEnd(STATUS_WIDTH), { stream })
  const about = subject === undefined ? '' : `${visibleText(subject)}: `
  const first = `${MARGIN}${coloured}  ${title.padEnd(TITLE_WIDTH)}  ${about}${visibleText(text)}`
  if (remedy === undefined) return [first]
  return [first, `${MARGIN}${' '.repeat(STATUS_WIDTH)}  ${' '.repeat(TITLE_WIDTH)}  → ${visibleText(remedy)}`]
}

export function countStatus(reports: readonly CheckReport[], status: Status): number {
  return reports.flatMap(({ findings }) => findings).filter((finding) => finding.status === status).length
}

/** `9 ok, 1 warning, 0 failures`. */
export function summaryText(reports: readonly CheckReport[]): string {
  const count = (status: Status) => countStatus(reports, status)
  const skipped = count('skip')
  return [
    `${count('ok')} ok`,
    counted(count('warn'), 'warning'),
    counted(count('fail'), 'failure'),
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
  ].join(', ')
}
