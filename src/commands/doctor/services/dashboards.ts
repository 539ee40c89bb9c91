import { readDashboards } from '../../../alerting/package_files.ts'
import { readVersion } from '../../../exporter/version.ts'
import type { GrafanaClient } from '../../dashboards/grafana_client.ts'
import { allOf, type Finding } from '../check/check.ts'
import { otherVersions, UNMARKED } from './prometheus_checks.ts'

const VERSION_TAG = /^sds-exporter-(.+)$/

/** Every dashboard of the exporter has it. */
const TAG = 'sds'

export async function dashboardFindings(client: Pick<GrafanaClient, 'tagged'>): Promise<Finding[]> {
  const listed = await client.tagged(TAG)
  const uids = readDashboards().map(({ dashboard }) => dashboard.uid)
  const ours = listed.filter(({ uid }) => uids.includes(uid))
  if (ours.length === 0)
    return allOf(undefined, [[true, 'warn', 'Grafana has no dashboards of the exporter', UPLOAD]])
  const byVersion = Map.groupBy(
    ours,
    ({ tags }) => tags.flatMap((tag) => VERSION_TAG.exec(tag)?.[1] ?? [])[0] ?? UNMARKED,
  )
  const others = otherVersions([...byVersion.keys()]).map((version): Finding => {
    const titles = byVersion
      .get(version)
      ?.map(({ title }) => title)
      .join(', ')
    const text = `of ${version}, this program is ${readVersion()}: ${titles}`
    return { status: 'warn', text, remedy: UPLOAD }
  })
  const missing = uids.filter((uid) => !ours.some((one) => one.uid === uid))
  const found = `${ours.length} of ${uids.length} dashboards`
  return [
    ...others,
    ...allOf(undefined, [
      [missing.length > 0, 'info', `${found}, without ${missing.join(', ')}`, UPLOAD],
      [missing.length + others.length === 0, 'ok', `${found}, of version ${readVersion()}`],
    ]),
  ]
}

const UPLOAD =
  'upload those of this version with sds-exporter dashboards --grafana.url=URL, or replace the provisioned files'
