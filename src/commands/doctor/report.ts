import type { ReceivedExchange } from '../../api/client.ts'
import type { Redact } from '../../api/http/credentials.ts'
import { buildDetails } from '../../exporter/version.ts'
import { createRedactor } from '../../recording/redaction/redactor.ts'
import { createStandIns, type StandIns } from '../../recording/redaction/stand_ins.ts'
import { type ForbiddenText, findLeaks } from '../../recording/search/leaks.ts'
import { visibleText } from '../../text.ts'
import { CommandError } from '../cli/exit.ts'
import { configuredNames } from '../cli/systems.ts'
import type { CheckReport, Finding } from './check/check.ts'
import type { Examination } from './system.ts'

export type ExaminedSystem = Pick<Examination, 'system' | 'reports' | 'versions'>

/** A text of the configuration, and the prefix of its stand-in. */
type NamedText = readonly [text: string, prefix: string]

/** Findings with names of certificates, addresses and services of others: their texts are left out. */
const WITHOUT_TEXT: ReadonlySet<string> = new Set(['names', 'connection'])

type ReportRedaction = ReturnType<typeof createReportRedaction>

export function createReportRedaction() {
  const standIns = createStandIns()
  const redactor = createRedactor({ keepsNames: false, isSecret: () => false }, standIns)
  return {
    standIns,
    /** Takes an exchange with a system: texts of the response that are not of the product get a stand-in. */
    received(exchange: ReceivedExchange): void {
      const { operation } = exchange
      if (operation !== 'login' && operation !== 'logout') redactor.exchange(exchange)
    },
  }
}

/** @param others findings about services beside the systems, without their texts @throws {CommandError} if a name is left in it */
export function reportText(
  systems: readonly ExaminedSystem[],
  others: readonly CheckReport[],
  configFile: string,
  { standIns }: ReportRedaction,
): string {
  const names: NamedText[] = [
    ...systems.flatMap(({ system }) =>
      configuredNames(system).map(({ text, kind }): NamedText => [text, kind]),
    ),
    [configFile, 'file'],
    ...[...standIns.replaced().keys()].map((text): NamedText => [text, 'text']),
  ]
  const redact = createRedaction(names, standIns)
  const parts = systems.map(({ system, reports, versions }) => {
    const title = `${standIns.of(system.name, 'system')}: versions ${redact(versions?.join(', ') ?? 'unknown')}`
    return [title, ...findingLines(reports, redact)]
  })
  const details = Object.entries(buildDetails()).map(([name, value]) => `  ${name}: ${value}`)
  const lines = [
    ['sds-exporter doctor --report', ...details],
    ...parts,
    ...(others.length === 0 ? [] : [['Services', ...findingLines(others, () => '')]]),
    [
      'A recording shows what the system serves, without its names and secrets:',
      '  sds-exporter capture --config.file=FILE --system=NAME --output=system.jsonl',
    ],
  ].map((part) => part.join('\n'))
  const text = `${lines.join('\n\n')}\n`
  checkLeaks(text, names, standIns)
  return text
}

const QUOTED = /\(".*?"\)(?=;|$)|"[^"]*"|; it says: .*$/gs
const ADDRESSES =
  /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\b\d{1,3}(?:\.\d{1,3}){3}\b(?!\.)|[^\s@]{1,64}@[^\s@]{1,64}/gi

/** Names are replaced as whole words, the longest first. */
function createRedaction(names: readonly NamedText[], standIns: StandIns): Redact {
  const prefixes = new Map(names.filter(([text]) => text !== '').map(([text, prefix]) => [text, prefix]))
  const longest = [...prefixes.keys()].toSorted((a, b) => b.length - a.length)
  const any = longest.map(RegExp.escape).join('|') || '$^'
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${any})(?![\\p{L}\\p{N}])`, 'gu')
  return (text) =>
    text
      .replaceAll(QUOTED, '<text>')
      .replaceAll(pattern, (name) => standIns.of(name, prefixes.get(name) ?? 'name'))
      .replaceAll(ADDRESSES, (one) => (standIns.isStandIn(one) ? one : standIns.of(one, 'id')))
}

function findingLines(reports: readonly CheckReport[], redact: Redact): string[] {
  return reports.flatMap(({ title, findings }) =>
    findings.map((finding) =>
      `  ${finding.status.padEnd(4)}  ${title.padEnd(13)}  ${textOf(title, finding, redact)}`.trimEnd(),
    ),
  )
}

function textOf(title: string, { subject, text, remedy }: Finding, redact: Redact): string {
  if (WITHOUT_TEXT.has(title)) return ''
  const about = subject === undefined ? '' : `${redact(subject)}: `
  return visibleText(`${about}${redact(text)}${remedy === undefined ? '' : ` → ${redact(remedy)}`}`)
}

function checkLeaks(text: string, names: readonly NamedText[], standIns: StandIns): void {
  const lines = text.split('\n').map((line) => JSON.stringify(line))
  const forbidden = names.map(([name, what]): ForbiddenText => ({ text: name, what }))
  // A name may be a word that findings use, too.
  const isWord = (name: string) => /^[a-z]+$/i.test(name)
  const leaks = findLeaks(
    lines,
    forbidden.filter((one) => !isWord(one.text)),
    standIns.isStandIn,
  )
  if (leaks.length === 0) return
  const what = [...new Set(leaks.map((leak) => leak.what))].join(', ')
  throw new CommandError(
    `no report was written: it would have a name (${what}); please report this error of sds-exporter`,
  )
}
