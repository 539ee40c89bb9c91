import { systemCheck } from '../check/system_facts.ts'

/** Sample ages are corrected by the skew, but lifetimes of tokens and certificates are not. */
const MAX_SKEW_SECONDS = 30

export const clockCheck = systemCheck({
  title: 'clock',
  needs: ['skewSeconds'],
  run: (_, { skewSeconds }) => {
    const size = Math.abs(skewSeconds)
    if (size <= MAX_SKEW_SECONDS) return { findings: [{ status: 'ok', text: `clock skew ${size} s` }] }
    const text = `the clock of the system is ${size} s ${skewSeconds < 0 ? 'behind' : 'ahead of'} that of this machine`
    const remedy = 'correct time synchronisation (NTP) of the system or of this machine'
    return { findings: [{ status: 'warn', text, remedy }] }
  },
})
