import { join } from 'node:path'
import { hashSync } from 'bcryptjs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Folder, temporaryFolder } from '../../support/folders.ts'
import { type Prometheus, startPrometheus } from '../../support/programs/prometheus.ts'
import { waitFor } from '../../support/wait.ts'
import { type Authority, LOCAL_SANS, makeAuthority } from './certificates.ts'
import { type StartedListener, startListener } from './listener_setup.ts'

/** Hashes from `htpasswd -nBC 10`. */
const USUAL_COST = 10
const EXPOSITION = '# TYPE sds_test gauge\nsds_test 42\n'

/** Jobs that each lack one credential, and the error in Prometheus. */
const REFUSED = {
  without_certificate: /403 Forbidden/,
  foreigner: /403 Forbidden/,
  // A certificate with a forged issuer may end the connection before the request is read.
  impostor: /403 Forbidden|reset by peer|EOF|closed/,
  without_password: /401 Unauthorized/,
  wrong_password: /401 Unauthorized/,
  plain_http: /EOF/,
} as const

let folder: Folder
let authority: Authority
let listener: StartedListener
let prometheus: Prometheus

beforeAll(async () => {
  folder = temporaryFolder()
  authority = await makeAuthority('test CA')
  await writeIdentity('server', authority)
  await writeIdentity('client', authority)
  await writeIdentity('foreigner', await makeAuthority('other CA'))
  await writeIdentity('impostor', await makeAuthority('test CA'))
  folder.write('ca.pem', authority.cert)
  const webConfigFile = folder.write(
    'web.yml',
    JSON.stringify({
      tls_server_config: {
        cert_file: 'server.pem',
        key_file: 'server.key',
        client_ca_file: 'ca.pem',
        client_auth_type: 'RequireAndVerifyClientCert',
        client_allowed_sans: ['localhost'],
      },
      http_server_config: { http2: true },
      basic_auth_users: { alice: hashSync('secret', USUAL_COST) },
    }),
  )
  listener = await startListener({
    webConfigFile,
    limits: { webFileCheckMs: 0 },
    handler: (_request, response) => {
      response.setHeader('Content-Type', 'text/plain; version=0.0.4; charset=utf-8').end(EXPOSITION)
    },
  })
  prometheus = await startPrometheus({ config: { scrape_configs: scrapeConfigs() } })
})

afterAll(async () => {
  await prometheus?.stop()
  await listener?.stop()
  folder?.[Symbol.dispose]()
})

async function writeIdentity(name: string, issuer: Authority): Promise<void> {
  const { cert, key } = await issuer.issue(name, LOCAL_SANS)
  folder.write(`${name}.pem`, cert)
  folder.write(`${name}.key`, key)
}

function scrapeConfigs() {
  // Absolute paths, because Prometheus resolves relative ones against its own configuration file.
  const at = (name: string) => join(folder.path, name)
  const ca = { ca_file: at('ca.pem') }
  const identity = (name: string) => ({ ...ca, cert_file: at(`${name}.pem`), key_file: at(`${name}.key`) })
  const alice = { basic_auth: { username: 'alice', password: 'secret' } }
  const jobs = {
    good: { tls_config: identity('client'), ...alice },
    without_certificate: { tls_config: ca, ...alice },
    foreigner: { tls_config: identity('foreigner'), ...alice },
    impostor: { tls_config: identity('impostor'), ...alice },
    without_password: { tls_config: identity('client') },
    wrong_password: { tls_config: identity('client'), basic_auth: { username: 'alice', password: 'guess' } },
    plain_http: { scheme: 'http' },
  }
  return Object.entries(jobs).map(([job_name, settings]) => ({
    job_name,
    scheme: 'https',
    // A scrape that times out on a loaded machine would count as one that the change of the certificate broke.
    scrape_interval: '3s',
    scrape_timeout: '3s',
    static_configs: [{ targets: [`127.0.0.1:${listener.port}`] }],
    ...settings,
  }))
}

async function target(job: string) {
  const targets = await prometheus.targets()
  return targets.find(({ scrapePool }) => scrapePool === job)
}

describe('Prometheus', () => {
  test('scrapes over TLS with a client certificate and a password', async () => {
    const sample = await waitFor(async () => (await prometheus.query('sds_test{job="good"}'))[0], {
      what: 'a sample',
    })
    expect(sample.value).toBe(42)
    expect(sample.metric).toMatchObject({ job: 'good', instance: `127.0.0.1:${listener.port}` })
  })

  test.each(Object.entries(REFUSED))('is refused as %s', async (job, reason) => {
    // On a loaded machine the first scrapes may time out: passwords are checked with the lowest priority.
    await waitFor(async () => reason.test((await target(job))?.lastError ?? ''), {
      what: `a scrape of ${job} that fails with ${reason}`,
    })
    expect(await prometheus.query(`sds_test{job="${job}"}`)).toEqual([])
  })

  test('loses no scrape while the certificate is replaced', async () => {
    const [scrapes, failures] = [await currentValue(SCRAPES), await currentValue(FAILURES)]
    await writeIdentity('server', authority)
    await waitFor(async () => (await currentValue(SCRAPES)) > scrapes + 3, { what: 'more scrapes' })
    expect(await currentValue(FAILURES)).toBe(failures)
  })
})

const SCRAPES = 'count_over_time(up{job="good"}[1h])'
const FAILURES = `${SCRAPES} - sum_over_time(up{job="good"}[1h])`

async function currentValue(promql: string): Promise<number> {
  return (await prometheus.query(promql))[0]?.value ?? 0
}
