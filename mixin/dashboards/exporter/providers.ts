import { YES_NO } from '../../grafana/mappings.ts'
import { PLAIN, type SizedPanel } from '../../grafana/spec.ts'
import { stat } from '../../grafana/stat.ts'
import { table } from '../../grafana/table.ts'
import { select } from '../../promql/expression.ts'
import { by, perSystem } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'

const providerCount = stat({
  title: 'Providers',
  about: [
    'Authentication providers (user directories) of each system.',
    'The number that was set up.',
    'Fewer: one was deleted. The audit lines in the log of the exporter show deletions through the exporter.',
  ],
  queries: [{ expr: perSystem(select('sds_authn_providers', ...SCOPE.system)), legend: '{{system}}' }],
  unit: 'none',
  steps: PLAIN,
  noValue: 'not read',
  width: 8,
  height: 8,
})

const providerKey = ['system', 'provider', 'provider_id'] as const

const providerList = table({
  title: 'Providers by name',
  about: [
    'The authentication providers of each system.',
    'The providers that were set up.',
    'An unknown provider gives access to the system: find out who created it, then delete it.',
  ],
  rows: providerKey,
  columns: [
    {
      title: 'Listed',
      expr: by('max', providerKey, select('sds_authn_provider_info', ...SCOPE.system)),
      unit: 'none',
      mappings: YES_NO,
    },
  ],
  noValue: 'none, or not read',
  width: 16,
  height: 8,
})

export const providers: readonly SizedPanel[] = [providerCount, providerList]
