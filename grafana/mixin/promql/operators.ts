import {
  type EXTERNAL_LABELS,
  NODE_KEY,
  POLLED_POOL_KEY,
  POOL_ID_KEY,
  POOL_KEY,
  SYSTEM_KEY,
} from '../settings.ts'
import type { Duration } from './duration.ts'
import { type Expression, promql } from './expression.ts'

/** `sum by (system) (vector)`; without `by` when there are no labels. */
export const by = (operation: string, labels: readonly string[], vector: Expression): Expression =>
  (labels.length === 0
    ? `${operation}(${vector})`
    : `${operation} by (${labels.join(',')}) (${vector})`) as Expression

export const sum = (vector: Expression): Expression => by('sum', [], vector)
export const sumBy = (labels: readonly string[], vector: Expression): Expression => by('sum', labels, vector)
export const sumByPool = (vector: Expression): Expression => sumBy(POOL_KEY, vector)

/**
 * One series for each set of the labels, however many exporters report it: two exporters that watch one system, or
 * one exporter scraped by two jobs, report every series twice. Every sum must start from this.
 */
export const dedup = (labels: readonly string[], vector: Expression): Expression => by('max', labels, vector)

/** External labels of servers that scrape the same exporter. */
const SERVER_LABELS = ['shard', 'replica'] as const satisfies readonly (typeof EXTERNAL_LABELS)[number][]

/**
 * One series for each series of an exporter, however many Prometheus servers send it to a common store: those of all shards
 * scrape all exporters. For counters whose exporters are to be summed; {@link dedup} leaves no exporters.
 */
export const perScraped = (vector: Expression): Expression =>
  promql`max without (${SERVER_LABELS}) (${vector})`

export const perNode = (vector: Expression): Expression => dedup(NODE_KEY, vector)

/** One series per node and value of a further label, e.g. the status of disks. */
export const perNodeAnd = (label: string, vector: Expression): Expression =>
  dedup([...NODE_KEY, label], vector)

/** One series per pool with its name and id, for metrics about pools and their polls. */
export const perPolledPool = (vector: Expression): Expression => dedup(POLLED_POOL_KEY, vector)

/** As {@link perPolledPool}, without the name, which two exporters may know differently. */
export const perPoolId = (vector: Expression): Expression => dedup(POOL_ID_KEY, vector)

export const perSystem = (vector: Expression): Expression => dedup(SYSTEM_KEY, vector)

/**
 * `a / b`, and no result where b is 0. Aggregate both sides first: a mean of ratios is wrong when nodes differ in
 * size.
 */
export const ratio = (a: Expression, b: Expression): Expression => promql`${a} / (${b} > 0)`

/** An aggregation of a vector, e.g. {@link sum}. */
export type Aggregate = (vector: Expression) => Expression

/** Seconds since a timestamp, by the clock of Prometheus. */
export const age = (timestamps: Expression): Expression => promql`time() - ${timestamps}`

/**
 * The newest value of the last 15 minutes, for alerts whose `for` is hours: one failed scrape or poll must not reset
 * the wait.
 */
export const lastValue = (selector: Expression): Expression => promql`last_over_time(${selector}[15m])`

/** Counters that start at 0, and increased within the window at one exporter or more. */
export const increased = (labels: readonly string[], counter: Expression, window: Duration): Expression =>
  promql`${dedup(labels, promql`increase(${counter}[${window}])`)} > 0`

/**
 * As {@link increased}, for counters whose series start with their first event, which `increase` misses. The second
 * branch finds it as a value that
 * differs from the last one before the window. It looks back a day, so that a series that was absent for a while and
 * returns unchanged is not reported.
 */
export const increasedOrNew = (
  labels: readonly string[],
  counter: Expression,
  window: Duration,
): Expression =>
  promql`${increased(labels, counter, window)}
or
${dedup(labels, promql`${counter} unless ${counter} == last_over_time(${counter}[1d] offset ${window})`)} > 0`

/**
 * The `$topn` series with the largest mean over the last three hours of the time range. `@ end()` makes the choice once;
 * a plain topk would choose at each step and draw more lines.
 */
export const top = (vector: Expression): Expression =>
  promql`${vector}
and
topk($topn, avg_over_time((${vector})[3h:5m] @ end()))`
