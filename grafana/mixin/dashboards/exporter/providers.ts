import { select } from '../../promql/expression.ts'
import { by } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { YES_NO } from '../../sdk/mappings.ts'
import type { SizedPanel } from '../../sdk/spec.ts'
import { table } from '../../sdk/table.ts'

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
      mappings: YES_NO,
    },
  ],
  noValue: 'None, or not read',
  height: 8,
})

export const providers: readonly SizedPanel[] = [providerList]
