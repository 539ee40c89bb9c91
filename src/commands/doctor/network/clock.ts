import { systemCheck } from '../check/system_facts.ts'

/** Ages are corrected for the difference, tokens and certificates are not. */
const MAX_SKEW_SECONDS = 30

export const clockCheck = systemCheck({
  title: 'clock',
  needs: ['skewSeconds'],
  run: (_, { skewSeconds }) => {
    const size = Math.abs(skewSeconds)
    if (size <= MAX_SKEW_SECONDS) return { findings: [{ status: 'ok', text: `differs by ${size} s` }] }
    const text = `the clock of the system is ${size} s ${skewSeconds < 0 ? 'behind' : 'ahead of'} that of this machine`
    const remedy = 'repair time synchronisation (NTP) on the side that is wrong'
    return { findings: [{ status: 'warn', text, remedy }] }
  },
})
