import fc from 'fast-check'
import { expect } from 'vitest'
import { parseConfig } from '../../src/config/load.ts'
import { ConfigError } from '../../src/config/values/problems.ts'
import { createSchedule, pollPeriodMs } from '../../src/values/schedule.ts'
import { mutatedText, textOfPieces } from './support/arbitraries.ts'
import { fuzz, resultOrError } from './support/fuzz.ts'

const EXPRESSIONS = [
  '0 * * * * *',
  '*/30 * * * * *',
  '0 */15 * * * *',
  '0 0 0 29 2 *',
  '0 0 12 L * MON#2',
  '1-5/2 * 1,2 15W jan 5L',
]
const PIECES = [
  ...'* / - , 0 9 31 2 L W # ? MON january -1 1-59 @daily 5#5'.split(' '),
  ...[' ', '\t', '30 2'],
]

fuzz('cron expressions', {
  corpus: 'schedules',
  input: fc.oneof(mutatedText(EXPRESSIONS, PIECES), textOfPieces([...PIECES, ' '], 12)),
  runs: 50,
  check: (expression) => {
    const systems = [{ name: 'a', base_url: 'https://a', auth: { token: 't' } }]
    const text = JSON.stringify({ systems, poll: { schedule: expression } })
    const config = resultOrError(() => parseConfig(text, { file: 'test.yml', environment: {} }), ConfigError)
    // '' polls only when the exporter is probed.
    if (config instanceof ConfigError || expression === '') return
    expect(config.systems[0]?.poll.schedule).toBe(expression)
    expect(pollPeriodMs(expression)).toBeGreaterThan(0)
    const schedule = createSchedule({ expression, maxRandomDelayMs: 0, run: () => undefined })
    schedule.start()
    expect(schedule.next()).toBeGreaterThan(Date.now() - 1000)
    schedule.stop()
  },
})
