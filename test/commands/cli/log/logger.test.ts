import { describe, expect, test } from 'vitest'
import { createLogger, LOG_FORMATS, type LogFormat } from '../../../../src/commands/cli/log/logger.ts'

function written(format: LogFormat, value: string): string {
  const lines: string[] = []
  createLogger({ level: 'info', format, write: (line) => lines.push(line) }).info('said', { value })
  return lines.join('')
}

describe.each(LOG_FORMATS)('a line as %s', (format) => {
  test.each([
    ['plain'],
    ['two words'],
    ['quote " backslash \\ equals ='],
    ['line\nand\r\nreturn\u2028and\u2029paragraph'],
    ['\u001b[31mred\u009b31mred\u007f\u0000'],
    ['\u202eright to left\u202c'],
    ['soft\u00adhyphen, \u{e0001}tag'],
  ])('writes %j on one line, with escaped control characters and without loss', (value) => {
    const line = written(format, value)
    expect(line.indexOf('\n')).toBe(line.length - 1)
    expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u)
    const shown = format === 'json' ? line : line.slice(line.indexOf('value=') + 'value='.length)
    const read =
      format === 'json' ? JSON.parse(shown).value : shown.startsWith('"') ? JSON.parse(shown) : shown.trim()
    expect(read).toBe(value)
  })
})

describe.each(LOG_FORMATS)('for the journal, %s', (format) => {
  test('has the priority of the level before each line, and no time', () => {
    const lines: string[] = []
    const log = createLogger({ level: 'debug', format, journal: true, write: (line) => lines.push(line) })
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]('said')
    expect(lines.map((line) => line.slice(0, 3))).toEqual(['<7>', '<6>', '<4>', '<3>'])
    expect(lines.join('')).not.toMatch(/\bts\b/)
    expect(lines[2]).toBe(
      format === 'json' ? '<4>{"level":"warn","msg":"said"}\n' : '<4>level=warn msg=said\n',
    )
  })
})

test('logfmt does not quote plain values', () => {
  expect(written('logfmt', 'https://ecs1:4443/a_b-c')).toMatch(
    /^ts=\S+ level=info msg=said value=https:\/\/ecs1:4443\/a_b-c\n$/,
  )
})

test('fields of lines that are not written are not computed', () => {
  const lines: string[] = []
  const at = (level: 'debug' | 'info') =>
    createLogger({ level, format: 'logfmt', write: (line) => lines.push(line) })
  let computed = 0
  const fields = () => {
    computed += 1
    return { pool: 'p' }
  }
  at('info').debug('poll', fields)
  expect({ computed, lines }).toEqual({ computed: 0, lines: [] })
  at('debug').debug('poll', fields)
  expect(computed).toBe(1)
  expect(lines.join('')).toMatch(/^ts=\S+ level=debug msg=poll pool=p\n$/)
})
