/** An input series of promtool. */
export interface InputSeries {
  readonly series: string
  readonly values: string
}

/** Time of the evaluation in seconds; the series begin at 0. */
export const NOW = 7200

export type Labels = Readonly<Record<string, string>>

export const text = (name: string, labels: Labels): string =>
  `${name}{${Object.entries(labels)
    .map(([label, value]) => `${label}=${JSON.stringify(value)}`)
    .join(',')}}`

/** `labels` as in the expectations of promtool. */
export const labelText = (labels: Labels): string => text('', labels)

/** A constant series of one exporter. */
export const constant = (name: string, labels: Labels, value: number): InputSeries => ({
  series: text(name, labels),
  values: `${value}x${NOW / 60}`,
})

export const EXPORTERS = ['a:9438', 'b:9438'] as const

export const targetOf = (instance: string): Labels => ({ job: 'sds', instance })

/** Series with the same value at both exporters of a pair. */
export const onBoth = (name: string, labels: Labels, value: number): InputSeries[] =>
  EXPORTERS.map((instance) => constant(name, { ...labels, ...targetOf(instance) }, value))

/** Counters that increase from 0 at both exporters of a pair. */
export const increasingOnBoth = (name: string, labels: Labels, perMinute: number): InputSeries[] =>
  EXPORTERS.map((instance) => ({
    series: text(name, { ...labels, ...targetOf(instance) }),
    values: `0+${perMinute}x${NOW / 60}`,
  }))

/** The series of a text at both exporters of a pair; a value with a sign grows by it each minute. */
export const seriesIn = (exposition: string): InputSeries[] =>
  [...exposition.matchAll(/^(\w+\{.*)\} (\+?)(\S+)$/gm)].flatMap(([, start, sign, value]) =>
    EXPORTERS.map((instance) => ({
      series: `${start},${labelText(targetOf(instance)).slice(1)}`,
      values: `${sign && '0+'}${value}x${NOW / 60}`,
    })),
  )

/** Series with different values at the two exporters. */
export const onEach = (name: string, labels: Labels, values: readonly [number, number]): InputSeries[] =>
  EXPORTERS.map((instance, index) => constant(name, { ...labels, ...targetOf(instance) }, values[index] ?? 0))
