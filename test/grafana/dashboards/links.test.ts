import type { DashboardLink, Panel } from '@grafana/grafana-foundation-sdk/dashboard'
import { describe, expect, test } from 'vitest'
import { buildDashboards } from '../../../grafana/mixin/dashboards/build.ts'
import { GRAFANA, UIDS } from '../../../grafana/mixin/settings.ts'
import { parse, resultLabels } from '../promql/parse.ts'
import { panelsOf, queriesOf } from './queries.ts'

const PAGES = buildDashboards()
const VARIABLES = new Map(
  PAGES.map(({ uid = '', templating }) => [uid, (templating.list ?? []).map(({ name }) => name)]),
)

interface DataLink {
  readonly where: string
  readonly page: string
  readonly panel: Panel
  readonly url: string
  /** The column of the link in a table. */
  readonly column: string | undefined
}

const linksOf = (page: string, panel: Panel): DataLink[] => {
  const where = `${page} / ${panel.title}`
  const { defaults, overrides } = panel.fieldConfig ?? { defaults: {}, overrides: [] }
  const own = (defaults.links ?? []).map(({ url = '' }) => ({ where, page, panel, url, column: undefined }))
  const onColumns = overrides.flatMap(({ matcher, properties }) =>
    properties
      .filter(({ id }) => id === 'links')
      .flatMap(({ value }) => value as DashboardLink[])
      .map(({ url = '' }) => ({ where, page, panel, url, column: String(matcher.options) })),
  )
  return [...own, ...onColumns]
}

const DATA_LINKS = PAGES.flatMap((page) => panelsOf(page).flatMap((panel) => linksOf(page.uid ?? '', panel)))

const labelsOf = (panel: Panel): Set<string>[] =>
  queriesOf(panel).map(({ expr = '' }) => new Set(resultLabels(parse(expr)) ?? []))

describe('data links', () => {
  test.each(DATA_LINKS)('$where has a dashboard and variables that exist: $url', ({ url, page }) => {
    const [, uid = '', query = ''] = /^\/d\/([\w-]+)\?(.+)$/.exec(url) ?? []
    const target = VARIABLES.get(uid)
    expect(target, uid).toBeDefined()
    for (const [, name = ''] of query.matchAll(/var-(\w+)=/g)) expect(target).toContain(name)
    for (const [, name = ''] of query.matchAll(/\$\{(\w+):queryparam\}/g)) {
      expect(target).toContain(name)
      expect(VARIABLES.get(page)).toContain(name)
    }
  })

  test('keep the data source, the job and the time', () => {
    for (const { url, where } of DATA_LINKS) {
      for (const part of ['datasource:queryparam', 'job:queryparam', '__url_time_range']) {
        expect(url, where).toContain(`$\{${part}}`)
      }
    }
  })

  test('take their values from labels of the series or columns of the table', () => {
    for (const { url, where, panel, column } of DATA_LINKS) {
      const labels = labelsOf(panel)
      const names = [...url.matchAll(/__(?:field\.labels|data\.fields)\.(\w+)/g)].map(([, name = '']) => name)
      for (const name of names) {
        for (const set of labels) expect(set.has(name), `${where}: ${name}`).toBe(true)
      }
      expect(url.includes('__data.fields'), where).toBe(column !== undefined)
    }
  })

  test('are on every table column of pools or nodes', () => {
    const linked = new Set(DATA_LINKS.map(({ where, column }) => `${where}: ${column}`))
    const expected = PAGES.flatMap((page) =>
      panelsOf(page)
        .filter(({ type }) => type === 'table')
        .flatMap((panel) => {
          const [labels] = labelsOf(panel)
          const name = labels?.has('node') ? 'node' : 'pool'
          return labels?.has(name) && labels.has('system') ? [`${page.uid} / ${panel.title}: ${name}`] : []
        }),
    )
    expect(expected.filter((place) => !linked.has(place))).toEqual([])
    expect(expected.length).toBeGreaterThan(5)
  })

  test.each([
    [UIDS.fleet, 'table', UIDS.pool],
    [UIDS.fleet, 'table', UIDS.node],
    [UIDS.fleet, 'state-timeline', UIDS.pool],
    [UIDS.pool, 'table', UIDS.node],
    [UIDS.pool, 'state-timeline', UIDS.node],
  ])('lead from %s, on a %s, to %s', (from, type, to) => {
    const links = DATA_LINKS.filter(({ page, panel }) => page === from && panel.type === type)
    expect(links.map(({ url }) => url.split('?')[0])).toContain(`/d/${to}`)
  })
})

test.each(PAGES)(
  '$uid has one menu of all dashboards, with the time range and the variables',
  ({ links }) => {
    const menu = { type: 'dashboards', tags: [GRAFANA.tags[0]], asDropdown: true }
    expect(links).toEqual([expect.objectContaining({ ...menu, includeVars: true, keepTime: true })])
  },
)
