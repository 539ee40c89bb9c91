import { systemRisks } from '../../../exporter/risks.ts'
import type { Finding } from '../check/check.ts'
import { systemCheck } from '../check/system_facts.ts'

/** Warns about risky settings; the configuration has been validated before. */
export const configurationCheck = systemCheck({
  title: 'configuration',
  needs: [],
  run: (context) => {
    const found = systemRisks(context).map((risk): Finding => ({ status: 'warn', ...risk }))
    return { findings: found.length > 0 ? found : [{ status: 'ok', text: 'no problems found' }] }
  },
})
