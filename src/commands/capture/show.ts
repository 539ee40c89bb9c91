import type { RecordedExchange } from '../../recording/format.ts'
import { textsIn } from '../../recording/search/leaks.ts'
import { counted, visibleText } from '../../text.ts'
import { readRecording } from '../cli/recordings.ts'

/** What a recording has: its header, its requests, and every text in it that is no number or time. */
export function summaryText(file: string): string {
  const { header, exchanges } = readRecording(file)
  const { program, recorded_at, complete, names, versions, source } = header
  const lines = [
    `Recorded by ${program} at ${recorded_at}${complete ? '' : ', not complete'}; names are ${names}`,
    ...(source === undefined ? [] : [`Source: ${source}`]),
    `Versions of the nodes: ${versions.join(', ') || 'unknown'}`,
    '',
    `${counted(exchanges.length, 'request')}:`,
    ...exchanges.map((exchange) => `  ${requestText(exchange)}`),
    '',
    'Names of members and texts, except numbers and times:',
    ...[...textsIn(exchanges.map(({ body }) => body))].toSorted().map((text) => `  ${text}`),
  ]
  return `${lines.map(visibleText).join('\n')}\n`
}

function requestText({ request, status, format, failure }: RecordedExchange): string {
  const { method, path, query = '' } = request
  const outcome = failure ?? `${status} ${format}`
  return `${outcome.padEnd(12)}  ${method} ${path}${query === '' ? '' : `?${query}`}`
}
