import { PROMETHEUS } from '../../grafana/mixin/settings.ts'
import type { FleetSeries } from './fleet.ts'
import { recordedSeries } from './recorded.ts'
import { remoteWrite, seriesEncoder } from './remote_write.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAYS = 31
/** Prometheus accepts samples up to ten minutes in the future. */
const AHEAD_MS = 9 * MINUTE_MS
/** And none that are an hour older than the newest, so all series advance together. */
const SLICE_MS = 20 * MINUTE_MS
const SERIES_PER_REQUEST = 4000

/** All series have samples as often as `deploy/` scrapes and evaluates, in these hours. */
const FULL_HOURS = 6
const FULL_MINUTES = PROMETHEUS.scrapeIntervalSeconds / 60
/** And those that are selected over a day, in these. */
const DAY_HOURS = 26
const OF_A_DAY = /^(?!sds_node_|system_pool_node:)|^sds_node_info$/
/** Selected over a day, by one of their statuses only: fewer samples, to load them in less time. */
const SPARSE_OF_A_DAY = /^sds_node_health_status$/
const SPARSE_MINUTES = 5
/** Hours before those of the panels, at which panels read recorded series of pools again. */
const COMPARED_HOURS = [24, 7 * 24]
const OF_POOLS = /^(?!system_pool_node:).*:/

/** Minutes between the samples of a series; undefined where it has none. */
const minutesBetween = (name: string, hoursAgo: number): number | undefined => {
  if (hoursAgo <= FULL_HOURS) return FULL_MINUTES
  if (hoursAgo <= DAY_HOURS && OF_A_DAY.test(name)) return FULL_MINUTES
  if (hoursAgo <= DAY_HOURS && SPARSE_OF_A_DAY.test(name)) return SPARSE_MINUTES
  if (!OF_POOLS.test(name)) return undefined
  const isCompared = COMPARED_HOURS.some((begin) => hoursAgo > begin && hoursAgo <= begin + FULL_HOURS + 1)
  return isCompared ? FULL_MINUTES : 60
}

const timesOf = (begin: number, end: number, minutes: number): number[] => {
  const step = minutes * MINUTE_MS
  return Array.from({ length: Math.ceil((end - begin) / step) }, (_, index) => begin + index * step)
}

/** Writes samples from `begin` to `end`, with the minutes between two of them by the name of the series. */
async function writeSpan(
  url: string,
  series: readonly FleetSeries[],
  [begin, end]: readonly [begin: number, end: number],
  minutesOf: (name: string) => number | undefined,
) {
  const byInterval = Map.groupBy(series, ({ name }) => minutesOf(name))
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

/**
 * Loads the fleet, oldest samples first. Recorded series end now, so that the rules can continue them; all others some
 * minutes later, so that the rules find them. Returns the time of the last recorded samples in seconds.
 */
export async function load(url: string, fleet: readonly FleetSeries[], progress: (text: string) => void) {
  const last = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
  const first = last - DAYS * 24 * HOUR_MS
  // From these samples the rules make the recorded series.
  await writeSpan(url, fleet, [first - SLICE_MS, first], () => SPARSE_MINUTES)
  const recorded = await recordedSeries(url, first / 1000)
  progress(`${recorded.length.toLocaleString('en')} series are recorded`)
  const series = [...fleet, ...recorded]
  for (let hoursAgo = DAYS * 24; hoursAgo >= 1; hoursAgo -= 1) {
    const begin = last - hoursAgo * HOUR_MS
    await writeSpan(url, series, [begin, begin + HOUR_MS], (name) => minutesBetween(name, hoursAgo))
    if (hoursAgo <= FULL_HOURS) progress(`loaded the data of ${hoursAgo} hours ago`)
  }
  const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS
  await advance(url, series, last, now)
  await advance(url, fleet, now, Math.floor((Date.now() + AHEAD_MS) / MINUTE_MS) * MINUTE_MS)
  return (now - FULL_MINUTES * MINUTE_MS) / 1000
}

async function advance(url: string, series: readonly FleetSeries[], from: number, to: number) {
  for (let begin = from; begin < to; begin += SLICE_MS) {
    await writeSpan(url, series, [begin, Math.min(to, begin + SLICE_MS)], () => FULL_MINUTES)
  }
}
