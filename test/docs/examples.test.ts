import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { examplesIn, pagesOf } from '../../scripts/examples/pages.ts'
import { withShownPorts } from '../../scripts/examples/ports.ts'
import { EXAMPLES } from '../../scripts/examples/table.ts'
import { run } from '../support/processes.ts'

const EXAMPLES_TIMEOUT_MS = 600_000

describe('the worked examples', () => {
  test('are those of the table, each once', () => {
    const found = pagesOf('.').flatMap((page) =>
      examplesIn(readFileSync(page, 'utf8')).map((name) => `${page}: ${name}`),
    )
    expect([...found].sort()).toEqual(EXAMPLES.map(({ page, name }) => `${page}: ${name}`).sort())
    const names = EXAMPLES.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })

  test(
    'are what the commands print now',
    async () => {
      const done = await run(process.execPath, ['scripts/examples.ts', '--check'], {
        timeout: EXAMPLES_TIMEOUT_MS,
      })
      expect(done).toEqual({ code: 0, signal: null, stdout: '', stderr: '' })
    },
    EXAMPLES_TIMEOUT_MS,
  )
})

test('every command has an example', async () => {
  const { stdout } = await run(process.execPath, ['src/main.ts', 'help'])
  const commands = [...stdout.matchAll(/^ {2}([a-z]+)(?: \[| <| {2})/gm)].map(([, command = '']) => command)
  expect(commands.length).toBeGreaterThan(10)
  const texts = EXAMPLES.flatMap(({ steps }) =>
    steps.map((step) => ('run' in step ? step.run : 'start' in step ? step.start : '')),
  )
  const missing = commands.filter(
    (command) => !texts.some((text) => text.includes(`sds-exporter ${command}`)),
  )
  expect(missing).toEqual([])
})

test('only addresses of this machine have other ports', () => {
  const ports = new Map([[9438, 2750]])
  expect(withShownPorts('http://127.0.0.1:2750/sd 12:2750 2750', ports)).toBe(
    'http://127.0.0.1:9438/sd 12:2750 2750',
  )
})
