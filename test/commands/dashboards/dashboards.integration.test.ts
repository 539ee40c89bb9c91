import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../support/folders.ts'
import { freePort } from '../../support/ports.ts'
import { runServer } from '../doctor/doctor_setup.ts'
import { runCommand } from '../run_command.ts'
import { GRAFANA_TOKEN, startGrafana } from './grafana_stub.ts'

const SHIPPED = readdirSync('grafana/dashboards').filter((file) => file.endsWith('.json'))

function dashboards(args: readonly string[], token?: string) {
  return runCommand(['dashboards', ...args], { env: { GRAFANA_TOKEN: token } })
}

test('dashboards --out writes every dashboard of the package', async () => {
  using folder = temporaryFolder()
  const out = join(folder.path, 'a', 'b')
  const { code, stdout } = await dashboards([`--out=${out}`])
  expect(code).toBe(0)
  expect(stdout.split('\n').filter((line) => line.startsWith('wrote '))).toHaveLength(SHIPPED.length)
  for (const file of SHIPPED) {
    expect(readFileSync(join(out, file), 'utf8')).toBe(readFileSync(join('grafana/dashboards', file), 'utf8'))
  }
})

test('dashboards --out refuses a file in place of the folder', async () => {
  using folder = temporaryFolder()
  const file = folder.write('file', '')
  for (const path of [file, `${file}/below`])
    expect(await dashboards([`--out=${path}`])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `sds-exporter: ${file}: file already exists (EEXIST)\n`,
    })
})

test('a response of Grafana that never ends is refused', async () => {
  await using server = await runServer(
    createServer((_, response) => {
      const send = () => {
        while (!response.destroyed && response.write('x'.repeat(1_000_000))) {}
      }
      response.on('drain', send)
      send()
    }),
  )
  const { code, stderr } = await dashboards([`--grafana.url=${server.url}`], GRAFANA_TOKEN)
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('larger than 64000000 bytes') })
})

describe('dashboards --grafana.url', () => {
  test('uploads all dashboards, and a second run changes nothing', async () => {
    await using grafana = await startGrafana()
    const first = await dashboards([`--grafana.url=${grafana.url}`], GRAFANA_TOKEN)
    expect({ code: first.code, stderr: first.stderr }).toEqual({ code: 0, stderr: '' })
    expect(grafana.folders).toEqual(new Map([['sds', 'Storage']]))
    expect(grafana.dashboards.size).toBe(SHIPPED.length)
    const fleet = grafana.dashboards.get('sds-fleet')
    const { id: _id, version, ...content } = fleet?.dashboard ?? {}
    expect(version).toBe(1)
    expect(content).toEqual(JSON.parse(readFileSync('grafana/dashboards/sds-fleet.json', 'utf8')))

    grafana.requests.length = 0
    const second = await dashboards([`--grafana.url=${grafana.url}/`], GRAFANA_TOKEN)
    expect(second.stdout.match(/^unchanged /gm)).toHaveLength(SHIPPED.length)
    expect(grafana.requests).not.toContain('POST /api/dashboards/db')
  })

  test.each(['current', 'old'] as const)(
    'uploads into a folder that exists (%s version of Grafana), and does not rename it',
    async (version) => {
      await using grafana = await startGrafana(version)
      grafana.folders.set('sds', 'Ours')
      const { code, stderr } = await dashboards([`--grafana.url=${grafana.url}`], GRAFANA_TOKEN)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(grafana.folders).toEqual(new Map([['sds', 'Ours']]))
      expect(grafana.dashboards.size).toBe(SHIPPED.length)
    },
  )

  test('replaces only changed dashboards', async () => {
    await using grafana = await startGrafana()
    await dashboards([`--grafana.url=${grafana.url}`], GRAFANA_TOKEN)
    const pool = grafana.dashboards.get('sds-pool')
    grafana.dashboards.set('sds-pool', {
      folderUid: 'sds',
      dashboard: { ...pool?.dashboard, title: 'Edited' },
    })
    const { stdout } = await dashboards([`--grafana.url=${grafana.url}`], GRAFANA_TOKEN)
    expect(stdout).toContain('updated sds-pool')
    expect(stdout.match(/^unchanged /gm)).toHaveLength(SHIPPED.length - 1)
    expect(grafana.dashboards.get('sds-pool')?.dashboard['title']).toBe(pool?.dashboard['title'])
  })

  test('a dry run changes nothing', async () => {
    await using grafana = await startGrafana()
    const { code, stdout } = await dashboards([`--grafana.url=${grafana.url}`, '--dry-run'], GRAFANA_TOKEN)
    expect(code).toBe(0)
    expect(stdout.match(/^would create /gm)).toHaveLength(SHIPPED.length)
    expect([grafana.folders.size, grafana.dashboards.size]).toEqual([0, 0])
  })

  test('reads the token from a file and never prints it', async () => {
    await using grafana = await startGrafana()
    using folder = temporaryFolder()
    const file = folder.write('token', 'glsa_wrong_canary\n')
    const { code, stdout, stderr } = await dashboards([
      `--grafana.url=${grafana.url}`,
      `--grafana.token-file=${file}`,
    ])
    expect(code).toBe(1)
    expect(stderr).toContain('HTTP 401')
    expect(stderr).toContain('check that the token is correct')
    expect(stdout + stderr).not.toContain('canary')
  })

  test.each([
    [302, 'check that --grafana.url is the root URL'],
    [403, 'dashboards:write'],
    [412, 'same title or uid'],
    [500, 'HTTP 500'],
  ])('prints the remedy for status %d', async (status, words) => {
    await using grafana = await startGrafana()
    grafana.refuseWith(status)
    const { code, stderr } = await dashboards([`--grafana.url=${grafana.url}`], GRAFANA_TOKEN)
    expect([code, stderr]).toEqual([1, expect.stringContaining(words)])
    expect(grafana.requests).not.toContain('GET /login')
    expect(grafana.requests).not.toContain('POST /login')
  })

  test('reports that Grafana is not reachable', async () => {
    const { code, stderr } = await dashboards(
      [`--grafana.url=http://127.0.0.1:${await freePort()}`],
      GRAFANA_TOKEN,
    )
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('did not respond to POST /api/folders: connect ECONNREFUSED'),
    ])
  })

  test('reports a server that is not Grafana, although it answers everything with a page', async () => {
    await using server = await runServer(createServer((_, response) => response.end('<html>')))
    const { code, stdout, stderr } = await dashboards([`--grafana.url=${server.url}`], GRAFANA_TOKEN)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('is not the API of Grafana (HTTP 200 without JSON): check that --grafana.url')
  })
})

test('the message of Grafana is one line', async () => {
  await using server = await runServer(
    createServer((_, response) => response.writeHead(500).end('{"message":"a\\nsds-exporter: done"}')),
  )
  const { code, stderr } = await dashboards([`--grafana.url=${server.url}`], GRAFANA_TOKEN)
  const text = String.raw`(HTTP 500): a\u000asds-exporter: done`
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(text) })
})

test.each([
  ['an empty --out', ['--out=']],
  ['neither --out nor --grafana.url', []],
  ['both', ['--out=x', '--grafana.url=http://127.0.0.1']],
  ['no URL', ['--grafana.url=grafana']],
  ['the address of a page of Grafana', ['--grafana.url=http://127.0.0.1:1/dashboards?orgId=1']],
])('%s is a usage error', async (_, args) => {
  expect((await dashboards(args, GRAFANA_TOKEN)).code).toBe(2)
})

test('a user or password in the URL is a usage error and is not printed', async () => {
  const args = ['--grafana.url=http://admin:canary@127.0.0.1:1/']
  const { code, stdout, stderr } = await dashboards(args, GRAFANA_TOKEN)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/^sds-exporter: --grafana\.url must not contain a user or password/)
  expect(stderr).not.toContain('canary')
})

test('reports a missing token', async () => {
  const { code, stderr } = await dashboards(['--grafana.url=http://127.0.0.1:1'])
  expect([code, stderr]).toEqual([1, expect.stringContaining('GRAFANA_TOKEN is empty')])
})
