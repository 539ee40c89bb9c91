import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard'
import { dashboardText } from '../../../src/alerting/dashboards.ts'
import { resolve } from '../../../src/alerting/references.ts'
import { type DashboardSpec, toDashboard } from '../sdk/dashboard.ts'
import { DEFAULT_VALUES } from '../settings.ts'
import { capacity } from './capacity/capacity.ts'
import { disks } from './disks.ts'
import { errors } from './errors/errors.ts'
import { exporter } from './exporter/exporter.ts'
import { fleet } from './fleet/fleet.ts'
import { namespaces } from './namespaces/namespaces.ts'
import { node } from './node/node.ts'
import { performance } from './performance/performance.ts'
import { pool } from './pool/pool.ts'
import { system } from './system/system.ts'

/** All dashboards, from overview to detail. */
export const DASHBOARDS: readonly DashboardSpec[] = [
  fleet,
  pool,
  node,
  capacity,
  performance,
  errors,
  disks,
  system,
  namespaces,
  exporter,
]

/** A generated file; the path is relative to the root of the repository. */
export interface RenderedFile {
  readonly path: string
  readonly text: string
}

/** Sorts the keys of objects, so that a new version of the SDK does not change their order in the files. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, member]) => [key, sorted(member)]),
  )
}

/** The dashboards with references to settings, in the order of {@link DASHBOARDS}. */
export const dashboardTemplates = (): Dashboard[] => DASHBOARDS.map(toDashboard).map(sorted) as Dashboard[]

/** The dashboards as data, with the default settings, in the order of {@link DASHBOARDS}. */
export const buildDashboards = (): Dashboard[] =>
  dashboardTemplates().map((dashboard) => resolve(dashboard, DEFAULT_VALUES))

/** The dashboards as JSON files for Grafana's file provisioning: `grafana/dashboards/<uid>.json`. */
export const renderDashboards = (): RenderedFile[] =>
  buildDashboards().map((dashboard) => ({
    path: `grafana/dashboards/${dashboard.uid}.json`,
    text: dashboardText(dashboard),
  }))
