/**
 * Values of `hide` of the variable `cluster` in Grafana. It is shown where series have the label, which stores of several
 * Prometheus servers add, such as Thanos and Mimir.
 */
export const CLUSTER_HIDE = { shown: 0, hidden: 2 } as const

/** The path of the value in settings. */
export const CLUSTER_PATH = 'clusterHide'
