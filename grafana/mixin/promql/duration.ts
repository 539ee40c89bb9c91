import { parser } from '@prometheus-io/lezer-promql'

/** A duration as Prometheus writes it, e.g. `15m` or `1h30m`. */
export type Duration = `${number}${'s' | 'm' | 'h' | 'd'}` | `${number}h${number}m`

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 31_536_000_000 }
type Unit = keyof typeof UNITS
const PART = /(\d+)(ms|s|m|h|d|w|y)/g
const WHOLE = /^(\d+(ms|s|m|h|d|w|y))+$/

/** A duration in milliseconds. @throws for text that is no duration */
export const milliseconds = (duration: string): number => {
  if (!WHOLE.test(duration)) throw new Error(`not a duration: ${duration}`)
  return [...duration.matchAll(PART)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * UNITS[unit as Unit],
    0,
  )
}

/** The expression as it was `offset` ago. It must have no offset or `@` of its own. */
export const shifted = <Text extends string>(expr: Text, offset: Duration): Text => {
  const ends: number[] = []
  parser.parse(expr).iterate({
    enter: ({ name, to, node }) => {
      if (
        name === 'MatrixSelector' ||
        (name === 'VectorSelector' && node.parent?.name !== 'MatrixSelector')
      ) {
        ends.push(to)
      }
    },
  })
  return ends.reduceRight<string>(
    (text, end) => `${text.slice(0, end)} offset ${offset}${text.slice(end)}`,
    expr,
  ) as Text
}
