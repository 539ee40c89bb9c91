import { describe, expect, test } from 'vitest'
import { quickTests, whyNotQuick } from '../support/quick.ts'

const reading = (files: Readonly<Record<string, string>>) => (path: string) => files[path]

describe('the quick tests', () => {
  test('are most tests, but none that starts a program', () => {
    const quick = quickTests()
    expect(quick.length).toBeGreaterThan(60)
    for (const path of ['test/config/load.test.ts', 'test/api/client.test.ts', 'test/poller/board.test.ts'])
      expect(quick).toContain(path)
    for (const path of [
      'test/end_to_end/prometheus.test.ts',
      'test/support/chromium.test.ts',
      'test/support/promtool.test.ts',
      'test/commands/doctor/doctor.test.ts',
      'test/exporter/reload.test.ts',
      'test/repository/quick.test.ts',
    ])
      expect(quick).not.toContain(path)
  })

  test.each<[string, Readonly<Record<string, string>>, string | undefined]>([
    ['nothing else', { 'test/a.test.ts': "import { a } from './b.ts'\n", 'test/b.ts': '' }, undefined],
    [
      'a helper that starts programs',
      {
        'test/a.test.ts': "import { a } from './b/b.ts'\n",
        'test/b/b.ts': "import { c } from '../c.ts'\n",
        'test/c.ts': "import { spawn } from 'node:child_process'\n",
      },
      'test/c.ts imports node:child_process',
    ],
    [
      'the types of such a helper',
      {
        'test/a.test.ts': "import type { A } from './b.ts'\n",
        'test/b.ts': "import { spawn } from 'node:child_process'\n",
      },
      undefined,
    ],
    [
      'a browser',
      { 'test/a.test.ts': "import { chromium } from 'playwright-core'\n" },
      'test/a.test.ts imports playwright-core',
    ],
    ['a file mode', { 'test/a.test.ts': 'chmodSync(file, 0)\n' }, 'test/a.test.ts uses chmodSync'],
    ['a time zone', { 'test/a.test.ts': "stubEnv('TZ', zone)\n" }, "test/a.test.ts uses stubEnv('TZ'"],
    [
      'code of the product that handles signals',
      { 'test/a.test.ts': "import { a } from '../src/a.ts'\n", 'src/a.ts': "on('SIGTERM')" },
      undefined,
    ],
    ['a folder of slow tests', {}, 'waits for polls'],
  ])('include or exclude a test with %s', (what, files, reason) => {
    const path = what === 'a folder of slow tests' ? 'test/faults/a.test.ts' : 'test/a.test.ts'
    expect(whyNotQuick(path, reading(files))).toBe(reason)
  })
})
