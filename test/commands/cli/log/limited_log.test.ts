import { describe, expect, test } from 'vitest'
import { createLogger, LOG_FORMATS, limitLog } from '../../../../src/commands/cli/log/logger.ts'
import type { Log } from '../../../../src/log.ts'
import { recordingLog } from '../../../readings/setup.ts'

const MINUTE = 60_000

function setUp() {
  const clock = { ms: 0 }
  const recorded = recordingLog('debug')
  return { clock, lines: recorded.lines, log: limitLog(recorded, () => clock.ms) }
}

const times = (count: number, action: (index: number) => void) => {
  for (let index = 0; index < count; index += 1) action(index)
}

describe('repeated lines', () => {
  test('are written ten times, then once a minute with the number of those between', () => {
    const { clock, lines, log } = setUp()
    times(500, (index) => log.warn('poll failed', { system: 'a', pool: `p${index}` }))
    expect(lines).toHaveLength(10)
    expect(lines.at(0)?.fields).toEqual({ system: 'a', pool: 'p0' })
    expect(lines.at(-1)?.fields).toEqual({ system: 'a', pool: 'p9', repeats: 'limited to one a minute' })
    clock.ms += MINUTE
    times(3, () => log.warn('poll failed', { system: 'a', pool: 'late' }))
    expect(lines).toHaveLength(11)
    expect(lines.at(-1)?.fields).toMatchObject({ pool: 'late', suppressed: 490 })
    clock.ms += 60 * MINUTE
    times(11, () => log.warn('poll failed', { system: 'a', pool: 'later' }))
    expect(lines).toHaveLength(21)
    expect(lines[11]?.fields).toEqual({ system: 'a', pool: 'later', suppressed: 2 })
    expect(lines[12]?.fields).toEqual({ system: 'a', pool: 'later' })
  })

  test('do not suppress the first line of another message, level, system, reason or attribute', () => {
    const { lines, log } = setUp()
    times(100, () => log.warn('poll failed', { system: 'a', reason: 'timeout' }))
    lines.length = 0
    log.warn('poll works', { system: 'a', reason: 'timeout' })
    log.error('poll failed', { system: 'a', reason: 'timeout' })
    log.warn('poll failed', { system: 'b', reason: 'timeout' })
    log.warn('poll failed', { system: 'a', reason: 'auth' })
    log.warn('poll failed', { system: 'a', reason: 'timeout', attribute: 'memory' })
    expect(lines).toHaveLength(5)
  })

  test('are limited also if their reason is a text that differs each time', () => {
    const { lines, log } = setUp()
    times(500, (index) => log.error('request failed', { reason: `cannot read ${index}` }))
    expect(lines).toHaveLength(10)
  })

  test('of level debug, and audit lines, are not limited and not cut', () => {
    const { lines, log } = setUp()
    times(50, () => log.debug('logout failed'))
    times(50, () => log.warn('audit: deletion of authentication provider', { id: 'x'.repeat(5000) }))
    expect(lines).toHaveLength(100)
    expect(lines.at(-1)?.fields).toEqual({ id: 'x'.repeat(5000) })
  })
})

test.each(LOG_FORMATS)('a long field is cut, and its line as %s has a limited length', (format) => {
  let line = ''
  const log: Log = limitLog(createLogger({ level: 'info', format, write: (text) => (line += text) }), () => 0)
  log.info('said', { system: 'a', error: `${'x'.repeat(1999)}\u{1f600}${'y'.repeat(100_000)}` })
  expect(line.length).toBeLessThan(2200)
  expect(line).toContain('… (100001 more characters)')
})
