import type { Context } from 'koa'
import { suggestion } from '../../config/values/unknown_keys.ts'
import { type Exposition, FAMILY_SEPARATOR } from '../../metrics/exposition.ts'
import { FAMILIES } from '../../metrics/families.ts'
import { type Format, OPENMETRICS_END } from '../../metrics/lines.ts'
import type { OwnMetrics } from '../../metrics/own.ts'
import type { SendExposition } from './send_exposition.ts'
import { badRequest } from './targets.ts'

export interface ScrapeSources {
  readonly exposition: () => Exposition
  readonly own: OwnMetrics
}

/**
 * Handles `GET /metrics`: the prepared exposition, followed by the exporter's own metrics. The exposition is rendered and
 * compressed after a poll; only the exporter's own metrics are rendered for a scrape. With `collect[]=NAME`, the families
 * with these names, rendered for the scrape.
 */
export function createScrape(
  { exposition, own }: ScrapeSources,
  sendExposition: SendExposition,
): (context: Context) => Promise<void> {
  const tailOf = createTails(own)
  return async (context) => {
    if (context.querystring === '')
      return sendExposition(context, { group: 'metrics', exposition: exposition(), tailOf })
    const names = readNames(context.querystring, await own.render('text'))
    const selected = exposition().only(names)
    const tailOfNames = async (format: Format) =>
      Buffer.from(tailText(onlyNamed(await own.render(format), names, format), format, selected.series > 0))
    const group = `metrics ${[...names].sort().join()}`
    await sendExposition(context, { group, exposition: selected, tailOf: tailOfNames })
  }
}

/** The exporter's own metrics at the end of the exposition. With the same text, scrapes have the same tail. */
function createTails(own: OwnMetrics): (format: Format) => Promise<Buffer> {
  const last = new Map<Format, { readonly text: string; readonly tail: Buffer }>()
  return async (format) => {
    const text = await own.render(format)
    const before = last.get(format)
    if (before?.text === text) return before.tail
    const tail = Buffer.from(tailText(text, format))
    last.set(format, { text, tail })
    return tail
  }
}

/** The end of an exposition. @param hasBefore whether there are families before these of the exporter */
function tailText(own: string, format: Format, hasBefore = true): string {
  const separator = hasBefore && own !== '' ? FAMILY_SEPARATOR[format] : ''
  return `${separator}${own}${format === 'openmetrics' ? OPENMETRICS_END : ''}`
}

const PARAMETER = 'collect[]'

/** The selected names. @throws {HttpError} 400 */
function readNames(query: string, ownText: string): ReadonlySet<string> {
  const parameters = new URLSearchParams(query)
  const other = [...parameters.keys()].find((name) => name !== PARAMETER)
  if (other !== undefined)
    throw badRequest(
      `unknown parameter '${other}'; the parameter is ${PARAMETER}, the name of a metric, and may be repeated`,
    )
  const names = new Set(parameters.getAll(PARAMETER))
  const known = new Set([...FAMILIES, ...familiesIn(ownText)].map(({ name }) => name))
  const unknown = [...names].find((name) => !known.has(name))
  if (unknown === undefined) return names
  const meant = suggestion(unknown, [...known])
  throw badRequest(
    `${PARAMETER}: no metric '${unknown}'${meant === undefined ? '' : `; did you mean ${meant}?`}`,
  )
}

function onlyNamed(own: string, names: ReadonlySet<string>, format: Format): string {
  // In OpenMetrics the family of a counter has no suffix.
  const families = familiesIn(own).filter(({ name }) => names.has(name) || names.has(`${name}_total`))
  return families.map(({ text }) => text).join(FAMILY_SEPARATOR[format])
}

/** The families of the exporter's own metrics; the text of each has its header and samples. */
function familiesIn(text: string) {
  return text
    .split(/^(?=# HELP )/m)
    .map((part) => ({ name: /^# HELP (\S+)/.exec(part)?.[1] ?? '', text: `${part.trimEnd()}\n` }))
}
