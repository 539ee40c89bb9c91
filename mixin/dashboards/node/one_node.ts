import { by, select } from '../../promql/promql.ts'

/** The page shows one node, so one series; `max` drops the labels and the second exporter of a pair. */
export const one = (metric: string): string => `max(${select(metric, 'node')})`
export const oneEach = (label: string, metric: string): string => by('max', [label], select(metric, 'node'))
