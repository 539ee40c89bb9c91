import { type DashboardName, dashboardUrl } from '../settings.ts'
import type { Link } from './spec.ts'

const ref = (name: string): string => `$\{${name}}`
/** Grafana substitutes these when a link is clicked. */
const TAIL = `${ref('datasource:queryparam')}&${ref('cluster:queryparam')}&${ref('job:queryparam')}&${ref('__url_time_range')}`

const link = (title: string, name: DashboardName, variables: Readonly<Record<string, string>>): Link => {
  const url = dashboardUrl(name, variables)
  return { title, url: `${url}${url.includes('?') ? '&' : '?'}${TAIL}` }
}

/** Values from the labels of the clicked series, or from the columns of the clicked row of a table. */
const label = (name: string): string => ref(`__field.labels.${name}:percentencode`)
const cell = (name: string): string => ref(`__data.fields.${name}:percentencode`)

const pick = (from: (name: string) => string, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, from(name)]))

export const seriesToPool: Link = link('Pool', 'pool', pick(label, ['system', 'pool']))
export const seriesToNode: Link = link('Node', 'node', pick(label, ['system', 'pool', 'node']))
export const rowToPool: Link = link('Pool', 'pool', pick(cell, ['system', 'pool']))
export const rowToNode: Link = link('Node', 'node', pick(cell, ['system', 'pool', 'node']))

export const rowToSystem: Link = link('System', 'system', pick(cell, ['system']))
export const rowToNamespace: Link = link('Namespace', 'namespaces', pick(cell, ['system', 'namespace']))
export const seriesToNamespace: Link = link('Namespace', 'namespaces', pick(label, ['system', 'namespace']))

/** Link to another dashboard with the same systems. */
export const toPage = (title: string, name: DashboardName): Link => {
  const { url } = link(title, name, {})
  return { title, url: `${url}&${ref('system:queryparam')}` }
}
