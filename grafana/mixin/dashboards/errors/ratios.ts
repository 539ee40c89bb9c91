import { type Expression, promql } from '../../promql/expression.ts'
import { RECORDED } from '../../promql/metrics.ts'
import { ratio, sum, sumByPool } from '../../promql/operators.ts'
import { recorded } from '../../promql/recorded.ts'
import { SCOPE } from '../../promql/scope.ts'
import { type SizedPanel, steps } from '../../sdk/spec.ts'
import { stat } from '../../sdk/stat.ts'
import { THRESHOLDS } from '../../settings.ts'
import { FAILURE_AXIS } from '../common/failures.ts'
import { topPools } from '../common/lines.ts'
import { NO_RECORDED_DATA } from '../common/pool_data.ts'
import { all, byUser, FAILED } from './queries.ts'

export const failedNow = stat({
  title: 'Failed transactions',
  about: [
    "Failed relative to all transactions of the nodes' newest samples, calculated from counts.",
    'Below the warning threshold. Some clients always request objects that do not exist.',
    'See “System errors” and “User errors” for the cause.',
  ],
  queries: [{ expr: ratio(sum(FAILED), all(sum)) }],
  unit: 'percentunit',
  decimals: 2,
  steps: steps(THRESHOLDS.errorRatio),
  width: 8,
})

/** Failures by pool without those of category User, as in the alert SdsSystemErrors. */
const notByUser = promql`clamp_min(${sumByPool(FAILED)} - ${byUser(sumByPool)}, 0)`

interface Fault {
  readonly title: string
  readonly about: readonly [string, string, string]
  readonly failures: Expression
  readonly limit: keyof typeof THRESHOLDS
}

const faultNow = ({ title, about, failures, limit }: Fault): SizedPanel =>
  stat({
    title,
    about,
    queries: [{ expr: ratio(failures, all(sum)) }],
    unit: 'percentunit',
    decimals: 2,
    steps: steps(THRESHOLDS[limit]),
    width: 8,
  })

export const systemNow = faultNow({
  title: 'System errors',
  about: [
    'Failures that are not caused by clients, relative to all transactions of the newest samples: all failures of each pool minus those of category User, so that failures without a type are included. The alert SdsSystemErrors uses the same expression for each pool.',
    'Below the warning threshold.',
    'Look at the nodes with the most failures, their health and their latency.',
  ],
  failures: sum(notByUser),
  limit: 'systemErrorRatio',
})

export const userNow = faultNow({
  title: 'User errors',
  about: [
    'Failures that the storage system attributes to the client (category User), relative to all transactions of the newest samples. The dashboard API lists only types that occurred; none is 0.',
    'Below the warning threshold.',
    'An application sends wrong requests or lacks permissions. The type shows the cause: 403 permissions, 404 no such object, 412 failed condition.',
  ],
  failures: byUser(sum),
  limit: 'errorRatio',
})

export const failureRatio = topPools({
  title: 'Top $topn pools by failed transactions',
  about: [
    'Failed relative to all transactions, calculated from counts, of the pools where it is largest.',
    'Below the dashed thresholds.',
    'A step is a release of an application or a fault. Switch on the critical alerts at the top to compare its time with theirs.',
  ],
  expr: recorded(RECORDED.failedRatio, SCOPE.pool),
  ...FAILURE_AXIS,
  noValue: NO_RECORDED_DATA,
  width: 24,
})
