import { RECORDED } from '../../mixin/promql/metrics.ts'
import { type FleetSeries, poolNames } from './fleet.ts'
import { encodeLabels, remoteWrite, seriesEncoder } from './remote_write.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAYS = 31
/** Prometheus accepts samples up to ten minutes in the future. */
const AHEAD_MS = 9 * MINUTE_MS
/** And none that are an hour older than the newest, so all series advance together. */
const SLICE_MS = 20 * MINUTE_MS
const SERIES_PER_REQUEST = 4000

/** All series have samples in these hours. */
const FULL_HOURS = 6
const FULL_MINUTES = 2
/** Series that are selected over a day. */
const OF_A_DAY = /^(?!sds_node_)|^sds_node_(info|health_status)$/
/** Series that are compared with the day and the week before. */
const COMPARED = /^sds_node_transaction_(reads|writes)_per_second$|^sds_node_transaction_.*latency_seconds/
const COMPARED_HOURS = [24, 7 * 24]

/** Minutes between the samples of a series; undefined where it has none. */
const minutesBetween = (name: string, hoursAgo: number): number | undefined => {
  if (hoursAgo <= FULL_HOURS) return FULL_MINUTES
  if (name.includes(':')) return 60
  if (hoursAgo <= 24 && OF_A_DAY.test(name)) return 5
  const compared = COMPARED_HOURS.some((begin) => hoursAgo > begin && hoursAgo <= begin + FULL_HOURS)
  return compared && COMPARED.test(name) ? 5 : undefined
}

/**
 * The recorded sums of pools, from which trends are calculated: they need weeks of data. The label keeps them apart from
 * what the rules record later.
 */
const recordedSeries = (systems: number): FleetSeries[] =>
  poolNames(systems).flatMap((labels, index) => {
    const total = 1e15
    const allocated = (time: number) => 5e14 + (time / HOUR_MS) * 1e9 * (1 + (index % 7))
    const of = (name: string, valueAt: FleetSeries['valueAt']): FleetSeries => ({
      name,
      labels: encodeLabels({ ...labels, __name__: name, origin: 'load' }),
      valueAt,
    })
    return [
      of(RECORDED.allocatedBytes, allocated),
      of(RECORDED.totalBytes, () => total),
      of(RECORDED.usedRatio, (time) => allocated(time) / total),
    ]
  })

const timesOf = (begin: number, end: number, minutes: number): number[] => {
  const step = minutes * MINUTE_MS
  return Array.from({ length: Math.ceil((end - begin) / step) }, (_, index) => begin + index * step)
}

/** Writes samples from `begin` to `end`, of the series that have samples so long ago. */
async function writeHour(
  url: string,
  series: readonly FleetSeries[],
  hoursAgo: number,
  begin: number,
  end: number,
) {
  const byInterval = Map.groupBy(series, ({ name }) => minutesBetween(name, hoursAgo))
  for (const [minutes, group] of byInterval) {
    if (minutes === undefined) continue
    const encode = seriesEncoder(timesOf(begin, end, minutes))
    for (let at = 0; at < group.length; at += SERIES_PER_REQUEST) {
      const part = group.slice(at, at + SERIES_PER_REQUEST)
      await remoteWrite(
        url,
        part.map(({ labels, valueAt }) => encode(labels, valueAt)),
      )
    }
  }
}

/** Loads the fleet, oldest samples first. Returns the time of the last sample in seconds. */
export async function load(
  url: string,
  fleet: readonly FleetSeries[],
  systems: number,
  progress: (text: string) => void,
) {
  const series = [...fleet, ...recordedSeries(systems)]
  const last = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
  for (let hoursAgo = DAYS * 24; hoursAgo >= 1; hoursAgo -= 1) {
    const begin = last - hoursAgo * HOUR_MS
    await writeHour(url, series, hoursAgo, begin, begin + HOUR_MS)
    if (hoursAgo <= FULL_HOURS) progress(`loaded the data of ${hoursAgo} hours ago`)
  }
  const end = Math.floor((Date.now() + AHEAD_MS) / MINUTE_MS) * MINUTE_MS
  for (let begin = last; begin < end; begin += SLICE_MS) {
    await writeHour(url, series, 0, begin, Math.min(end, begin + SLICE_MS))
  }
  return (end - FULL_MINUTES * MINUTE_MS) / 1000
}
