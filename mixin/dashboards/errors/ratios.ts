import { seriesToPool } from '../../grafana/links.ts'
import { type SizedPanel, steps } from '../../grafana/spec.ts'
import { stat } from '../../grafana/stat.ts'
import { timeSeries } from '../../grafana/timeseries.ts'
import { type Expression, promql } from '../../promql/expression.ts'
import { ratio, sum, sumByPool } from '../../promql/operators.ts'
import { THRESHOLDS } from '../../settings.ts'
import { SEE_OFFERS } from '../common/coverage.ts'
import { all, byUser, FAILED } from './queries.ts'

export const failedNow = stat({
  title: 'Failed transactions',
  about: [
    "Failed relative to all transactions of the nodes' newest samples, from their counts: a mean of percentages would count idle nodes as much as busy ones.",
    'Below the yellow mark; callers that ask for what is not there are part of normal life.',
    'See next to it whose fault it is.',
  ],
  queries: [{ expr: ratio(sum(FAILED), all(sum)) }],
  unit: 'percentunit',
  decimals: 2,
  steps: steps(THRESHOLDS.errorRatio),
  noValue: SEE_OFFERS,
  width: 4,
})

/** As the alert SdsSystemErrors counts: whatever is not proven to be the callers' own, by pool. */
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
    noValue: SEE_OFFERS,
    width: 4,
  })

export const systemNow = faultNow({
  title: 'System errors',
  about: [
    "Failures that are not the callers' own, relative to all transactions of the newest samples: all failures of each pool without those of category User, so that failures without a type count, too. The alert on system errors asks the same of each pool.",
    'Below the yellow mark.',
    'The system fails clients: look at the nodes that fail most, their health and their latency.',
  ],
  failures: sum(notByUser),
  limit: 'systemErrorRatio',
})

export const userNow = faultNow({
  title: 'User errors',
  about: [
    "Failures that the storage system counts as the caller's (category User), relative to all transactions of the newest samples. The feed lists only types that occurred, so none is 0.",
    'Below the yellow mark.',
    'An application asks wrongly, or with rights that it does not have: the type tells (403 rights, 404 missing, 412 condition).',
  ],
  failures: byUser(sum),
  limit: 'errorRatio',
})

export const failureRatio = timeSeries({
  title: 'Failure ratio by pool',
  about: [
    'Failed relative to all transactions of each pool, from the counts of the samples.',
    'Below the dashed marks.',
    'A step is a release or a fault; compare its time with the annotations.',
  ],
  queries: [{ expr: ratio(sumByPool(FAILED), all(sumByPool)), legend: '{{system}} / {{pool}}' }],
  unit: 'percentunit',
  decimals: 2,
  softMax: THRESHOLDS.errorRatio.critical,
  steps: steps(THRESHOLDS.errorRatio),
  limits: true,
  noValue: SEE_OFFERS,
  links: [seriesToPool],
  width: 18,
})
