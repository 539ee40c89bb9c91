import type { Expression, Matcher } from '../../promql/expression.ts'
import { RECORDED } from '../../promql/metrics.ts'
import { ratio, sumByPool } from '../../promql/operators.ts'
import { recorded, recordedSelector } from '../../promql/recorded.ts'
import { SCOPE } from '../../promql/scope.ts'
import { PURPOSE_AREAS } from '../../sdk/mappings.ts'
import type { About, PanelSpec, SizedPanel } from '../../sdk/spec.ts'
import { timeSeries } from '../../sdk/timeseries.ts'
import { topPools } from './lines.ts'
import { NO_RECORDED_DATA } from './pool_data.ts'

/** One series per pool and purpose of disk traffic. */
export const byPurpose = (direction: 'read' | 'write', ...matchers: readonly Matcher[]): Expression =>
  recordedSelector(
    direction === 'read' ? RECORDED.diskReadPurposes : RECORDED.diskWritePurposes,
    SCOPE.pool,
    ...matchers,
  )

interface Words extends About {
  readonly title: string
}

/** Share of the disk reads of each pool with a purpose, e.g. `purpose="user"`. */
export const diskReadShare = (purpose: Matcher, words: Words): SizedPanel =>
  topPools({
    ...words,
    expr: ratio(sumByPool(byPurpose('read', purpose)), recorded(RECORDED.diskReads, SCOPE.pool)),
    unit: 'percentunit',
    noValue: NO_RECORDED_DATA,
  })

/** @param expr bytes per second by purpose */
export const diskActivity = (
  direction: 'read' | 'write',
  owner: string,
  expr: Expression,
  panel: Pick<PanelSpec, 'noValue' | 'interval'>,
): SizedPanel =>
  timeSeries({
    title: `Disk ${direction}s by activity`,
    shows: `Bytes per second ${direction === 'read' ? 'read from' : 'written to'} the disks of ${owner}, by purpose, stacked.`,
    normal: 'Mostly user traffic, with some erasure coding.',
    otherwise:
      'A large orange area is recovery after a disk or node failed. It uses bandwidth of users until it ends.',
    queries: [{ expr, legend: '{{purpose}}' }],
    unit: 'Bps',
    stacked: true,
    fewNames: true,
    overrides: PURPOSE_AREAS,
    ...panel,
  })
