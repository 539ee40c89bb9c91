import { MS_PER_SECOND } from '../../../time_units.ts'
import { STATISTICS_INTERVAL_SECONDS } from '../../model/node_state.ts'
import { replicationGroups, replicationLinks } from '../../model/system/sites.ts'
import { type Bucket, type FieldSeries, pointsBetween, type Source } from '../points/series.ts'

const MEASUREMENT = 'cm_Geo_Replication_Statistics_Replication_Group_Min_RPO'

/** `monitoring_last`: the lag of each replication group in ms, 0 while nothing is pending. */
export const MONITORING_LAST: Bucket = {
  retentionSeconds: 86_400,
  delaySeconds: 30,
  series: lagSeries,
}

function* lagSeries({ model }: Source): Iterable<FieldSeries> {
  const timeOf = (k: number) => k * STATISTICS_INTERVAL_SECONDS
  for (const { urn, zones } of replicationGroups(model, Number.POSITIVE_INFINITY)) {
    if (zones === 1) continue
    const lag = (k: number) => {
      const links = replicationLinks(model, timeOf(k)).filter(({ group }) => group.urn === urn)
      const points = links.flatMap(({ recoveryPoint }) => recoveryPoint ?? [])
      return points.length === 0 ? 0 : (timeOf(k) - Math.min(...points)) * MS_PER_SECOND
    }
    const tags = { Replication_Group: urn, process: 'cm', tag: 'dashboard' }
    const columns = { _field: 'RPO_Lag_Millis', _measurement: MEASUREMENT, ...tags }
    yield { columns, type: 'long', points: pointsBetween(timeOf, lag, 'long') }
  }
}
