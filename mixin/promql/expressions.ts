import { type DashboardName, dashboardUrl, dedup, NODE_KEY, POOL_KEY } from '../settings.ts'

/**
 * Pieces of PromQL and of templates that several rules share. Two exporters that watch one system, or one
 * exporter scraped by two jobs, give every series twice: all pieces begin with one series for each node, pool
 * or system, and neither `job` nor `instance` survives.
 */

/** Labels of what the poller knows of a pool; the pool's name is in `sds_pool_info`. */
export const POLL_KEY = ['system', 'pool_id'] as const
export const SYSTEM_KEY = ['system'] as const

const list = (labels: readonly string[]): string => labels.join(',')

/** One series a node. */
export const perNode = (selector: string): string => dedup(NODE_KEY, selector)

/** The sum over the nodes of each pool. */
export const poolSum = (selector: string): string => `sum by (${list(POOL_KEY)}) (${perNode(selector)})`

/** One series a polled pool, keyed by the pool's id. */
export const perPoll = (selector: string): string => dedup(POLL_KEY, selector)

export const perSystem = (selector: string): string => dedup(SYSTEM_KEY, selector)

/**
 * The newest value of a quarter of an hour, for alerts that wait for hours: one scrape or poll that fails must not
 * start their wait anew.
 */
export const lately = (selector: string): string => `last_over_time(${selector}[15m])`

/** 1 for each node that is in the given status, else 0. */
export const health = (status: string): string => perNode(`sds_node_health_status{status="${status}"}`)

/** The pools whose last poll went well for at least one exporter. */
export const POOL_ANSWERS = `${perPoll('sds_pool_up')} == 1`

/**
 * What a counter counted within a window, by at least one exporter, above 0. `increase` alone misses the first
 * event of a series, because prom-client creates the series with its first event. The second branch finds it as a
 * value that differs from the last one before the window; a day back, so that a series that was away for a while
 * and comes back unchanged is not taken for new.
 */
export const counted = (labels: readonly string[], counter: string, window: string): string =>
  `${dedup(labels, `increase(${counter}[${window}])`)} > 0
or
${dedup(labels, `${counter} unless ${counter} == last_over_time(${counter}[1d] offset ${window})`)} > 0`

const label = (name: string): string => `{{ $labels.${name} }}`
const parameter = (name: string): string => `{{ $labels.${name} | urlquery }}`

/** The places that an alert can speak of, as its description words them. */
export const SYSTEM = `System ${label('system')}`
export const POOL = `Pool ${label('pool')} of system ${label('system')}`
export const NODE = `Node ${label('node')} in pool ${label('pool')} of system ${label('system')}`
/** A pool of which the alert has the id alone: named where the name is known. */
export const POLLED_POOL = `Pool {{ with printf "sds_pool_info{system=%q,pool_id=%q}" $labels.system $labels.pool_id | query }}{{ . | first | label "pool" }}{{ else }}{{ $labels.pool_id }}{{ end }} of system ${label('system')}`

/** Path of a dashboard that shows what the alert's labels name. */
export const dashboardOf = (name: DashboardName, labels: readonly string[]): string =>
  dashboardUrl(name, Object.fromEntries(labels.map((key) => [key, parameter(key)])))
