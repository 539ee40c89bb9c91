import type { Context } from 'koa'
import { suggestion } from '../../config/values/unknown_keys.ts'
import { type Exposition, FAMILY_SEPARATOR } from '../../metrics/exposition.ts'
import { FAMILIES } from '../../metrics/families.ts'
import { type Format, OPENMETRICS_END } from '../../metrics/lines.ts'
import type { OwnMetrics } from '../../metrics/own.ts'
import { BoundedMap } from '../../values/cache.ts'
import type { SendExposition } from './send_exposition.ts'
import { badRequest } from './targets.ts'

export interface ScrapeSources {
  readonly exposition: () => Exposition
  readonly own: OwnMetrics
}

/**
 * Handles `GET /metrics`: the prepared exposition, followed by the exporter's own metrics. The exposition is rendered and
 * compressed after a poll; only the exporter's own metrics are rendered for a scrape.
 */
export function createScrape(
  { exposition, own }: ScrapeSources,
  sendExposition: SendExposition,
): (context: Context) => Promise<void> {
  const tailOf = createTails(own)
  return (context) => sendExposition(context, { group: 'metrics', exposition: exposition(), tailOf })
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
/** Selections of one exposition that are kept: as many Prometheus servers rarely use different ones. */
const MAX_SELECTIONS = 8

/** Handles `GET /metrics?collect[]=NAME`: the families with these names, from memory. */
export function createSelectedScrape(
  { exposition, own }: ScrapeSources,
  sendExposition: SendExposition,
): (context: Context) => Promise<void> {
  const selectionOf = createSelections()
  return async (context) => {
    const parameters = new URLSearchParams(context.querystring)
    const names = new Set(parameters.getAll(PARAMETER))
    const problem = problemOf(parameters, names, await own.render('text'))
    if (problem !== undefined) throw badRequest(problem)
    const key = [...names].sort().join()
    const selected = selectionOf(exposition(), names, key)
    const tailOf = async (format: Format) =>
      Buffer.from(tailText(onlyNamed(await own.render(format), names, format), format, selected.series > 0))
    await sendExposition(context, { group: `metrics ${key}`, exposition: selected, tailOf })
  }
}

/** The selected families of an exposition, which is rendered and compressed once for all scrapes with this selection. */
function createSelections() {
  const kept = new WeakMap<Exposition, BoundedMap<string, Exposition>>()
  return (whole: Exposition, names: ReadonlySet<string>, key: string): Exposition => {
    const ofWhole = kept.get(whole) ?? new BoundedMap<string, Exposition>(MAX_SELECTIONS)
    kept.set(whole, ofWhole)
    const selected = ofWhole.get(key) ?? whole.only(names)
    ofWhole.set(key, selected)
    return selected
  }
}

/** Why a request is refused; undefined if it is not. */
function problemOf(
  parameters: URLSearchParams,
  names: ReadonlySet<string>,
  ownText: string,
): string | undefined {
  const other = [...parameters.keys()].find((name) => name !== PARAMETER)
  if (other !== undefined)
    return `unknown parameter '${other}'; the parameter is ${PARAMETER}, the name of a metric, and may be repeated`
  const ofProcess = familiesIn(ownText).map(({ name }) => name)
  const known = new Set([...FAMILIES.map(({ name }) => name), ...ofProcess])
  const unknown = [...names].find((name) => !known.has(name))
  if (unknown === undefined) return undefined
  const meant = suggestion(unknown, [...known])
  return `${PARAMETER}: no metric '${unknown}'${meant === undefined ? '' : `; did you mean ${meant}?`}`
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
