import { pause } from '../clients.ts'
import { requestPage } from '../requests.ts'
import { type Row, STEADY } from '../row.ts'

const NAMES_COUNT = 49
const POLL_SECONDS = 2
const SECONDS = 30

/** Seconds since the last successful poll of each pool of the steady system. */
function ages(exposition: string): number[] {
  const pattern = new RegExp(
    `^sds_pool_last_success_timestamp_seconds\\{.*system="${STEADY}".*\\} (\\S+)$`,
    'gm',
  )
  return [...exposition.matchAll(pattern)].map(([, time]) => Date.now() / 1000 - Number(time))
}

export const NAMES: readonly Row[] = [
  {
    name: 'hanging-names',
    sent: `${NAMES_COUNT} further systems, for whose names the name server does not answer`,
    setup: { hangingNames: NAMES_COUNT, pollSeconds: POLL_SECONDS },
    seconds: SECONDS,
    async attack(target, signal) {
      await pause(SECONDS * 1000, signal)
      const oldest = Math.max(...ages((await requestPage(target, '/metrics')).text()))
      const note = `oldest poll ${oldest.toFixed(1)} s`
      return { note, problems: oldest < 2 * POLL_SECONDS ? [] : ['the steady system was not polled on time'] }
    },
  },
]
