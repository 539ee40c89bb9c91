import { expect, test } from 'vitest'
import { MARKED_SECRET, PRIVATE } from '../../src/emulator/resources/namespaces.ts'
import { startEmulator } from '../api/client_setup.ts'
import { call } from '../emulator/client.ts'
import { temporaryFolder } from '../support/folders.ts'
import { get } from '../support/http.ts'
import { run } from '../support/processes.ts'
import { waitFor } from '../support/wait.ts'
import { serve } from './serve.ts'

const MARKED = [MARKED_SECRET, PRIVATE.owner, PRIVATE.tag]
const EVERY_SECOND = '{schedule: "* * * * * *"}'
const NAMES = ['system', 'replication', 'namespaces', 'quotas', 'buckets', 'inventory']
const SECTIONS = [
  'poll: {schedule: "* * * * * *", max_random_delay: 0s}',
  'performance: {schedule: "* * * * * *"}',
  'limits: {requests_per_second: 1000}',
  `resources: {${NAMES.map((name) => `${name}: ${EVERY_SECOND}`).join(', ')}}`,
].join('\n')
const PATHS = ['/', '/metrics', '/sd', '/api/v1/status', '/probe?system=a', '/config', '/debug']
/** Answers that cannot be used, and those that are used in part. */
const FAULTS = [
  'truncate@namespaces',
  'bad-numbers:text@buckets',
  'object-list@license',
  'repeated-object@namespaces',
  'status:500@quota',
  'bad-numbers@bucket_usage',
]

test('the emulated system serves the marked values', async () => {
  await using emulator = await startEmulator({ profile: 'modern' })
  const paths = ['/object/namespaces', '/object/bucket?namespace=media', '/license']
  const answers = await Promise.all(
    paths.map((path) => call(emulator, path, { headers: { accept: 'application/json' } })),
  )
  for (const marked of MARKED) expect(answers.map(({ text }) => text).join('\n')).toContain(marked)
})

test('secrets of the system, owners and tags are in no output', async () => {
  await using emulator = await startEmulator({
    profile: 'modern',
    pools: 1,
    nodes: 2,
    namespaces: 4,
    buckets: 3,
    sites: 2,
  })
  using folder = temporaryFolder()
  const auth = 'auth: {username: monitor, password: emulator}'
  const file = folder.write(
    'sds.yml',
    `systems: [{name: a, base_url: "${emulator.url}", ${auth}}]\n${SECTIONS}`,
  )
  const output: string[] = []
  {
    await using served = await serve(file, {
      flags: ['--log.level=debug', '--log.format=json', '--admin.listen-address=127.0.0.1:0'],
    })
    const [, admin = ''] = await served.child.waitForOutput(
      /"url":"([^"]+)","msg":"listening for provider administration"/,
    )
    const pages = async () => {
      const answers = [
        ...PATHS.map((path) => get(`${served.url}${path}`)),
        get(admin),
        get(`${admin}/systems`),
      ]
      return (await Promise.all(answers)).map(({ text }) => text).join('\n')
    }
    await waitFor(async () => (await get(`${served.url}/metrics`)).text.includes('sds_bucket_used_bytes{'), {
      what: 'the buckets',
    })
    output.push(await pages())
    expect(output.join()).toContain('sds_system_license_expired')
    emulator.setFaults(FAULTS)
    await waitFor(async () => (await get(`${served.url}/api/v1/status`)).text.includes('"failing"'), {
      what: 'readings that fail',
    })
    output.push(await pages())
    await served.child.stop()
    output.push(served.child.stdout(), served.child.stderr())
  }
  for (const command of ['doctor', 'check', 'nodes']) {
    const { stdout, stderr } = await run(process.execPath, ['src/main.ts', command, `--config.file=${file}`])
    output.push(stdout, stderr)
  }
  const text = output.join('\n')
  expect(text).toContain('could not be read')
  for (const marked of MARKED) expect(text).not.toContain(marked)
})
