import { STATISTICS_INTERVAL_SECONDS } from '../model/node_state.ts'

/** How a request is answered. The faults that change it explain it (`faults/settings_faults.ts`). */
export const SETTINGS = {
  lateSeconds: 0,
  gapSeconds: 0,
  isUnordered: false,
  ignoresRange: false,
  withoutHistory: undefined as string | undefined,
  forecastsOnly: undefined as 'category' | 'current' | undefined,

  delaySeconds: 0,
  intervalSeconds: STATISTICS_INTERVAL_SECONDS,
  refusedOperations: [] as readonly string[],
  refusesCombined: false,
  emptiesCombined: false,
  failingMeasurement: undefined as string | undefined,
  refusesAbsolute: false,

  failsAfterFirstPage: false,
  repeatsMarker: false,
  license: 'valid' as 'valid' | 'expiring' | 'expired',
  unreadyTables: 0,
}
export type Settings = Readonly<typeof SETTINGS>
