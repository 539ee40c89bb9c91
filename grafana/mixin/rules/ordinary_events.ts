import type { AlertName } from './groups/rule.ts'

/** What happens to storage systems and their monitoring without a fault, and the alerts that it raises. */
export interface OrdinaryEvent {
  readonly name: string
  /** One sentence for the documentation. */
  readonly what: string
  readonly alerts: readonly AlertName[]
}

/** docs/alerts.md has this table, and a test plays each row over 14 to 30 days. */
export const ORDINARY_EVENTS = [
  {
    name: 'no-event',
    what: 'Nothing happens: the load follows hours and weekdays, and the pool fills.',
    alerts: [],
  },
  { name: 'two-sites', what: 'The same on a system of two sites.', alerts: [] },
  { name: 'maintenance', what: 'A node is in maintenance for four hours.', alerts: [] },
  {
    name: 'rolling-upgrade',
    what: 'Each node is in maintenance for an hour, one a day, and versions are mixed for five days.',
    alerts: [],
  },
  { name: 'expansion', what: 'Two nodes join a pool of five, empty.', alerts: ['SdsCapacityImbalance'] },
  {
    name: 'replacement',
    what: 'A node is away for four hours, and another one with its name and a new id takes its place, empty.',
    alerts: ['SdsNodeVanished', 'SdsCapacityImbalance'],
  },
  { name: 'renamed-pool', what: 'A pool gets another name.', alerts: [] },
  {
    name: 'quiet-weekend',
    what: 'The pool is not used from Friday evening to Monday morning.',
    alerts: ['SdsTrafficCollapsed'],
  },
  {
    name: 'second-exporter',
    what: 'A new exporter is started beside the old one, which is stopped a day later.',
    alerts: [],
  },
  { name: 'prometheus-down', what: 'Prometheus is down for an hour.', alerts: [] },
] as const satisfies readonly OrdinaryEvent[]

export type OrdinaryEventName = (typeof ORDINARY_EVENTS)[number]['name']
