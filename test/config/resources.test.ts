import { describe, expect, test } from 'vitest'
import type { ResourcesConfig } from '../../src/config/config.ts'
import { parseConfig } from '../../src/config/load.ts'

/** What is read of system `a`, with these keys of it, and of the other system. */
function resourcesOf(sections = '', keys = ''): { a: ResourcesConfig; other: ResourcesConfig } {
  const auth = 'base_url: "https://a", auth: {token: t}'
  const systems = `systems: [{name: a, ${auth}${keys}}, {name: b, ${auth}}]`
  const [a, other] = parseConfig(`${systems}\n${sections}`, { file: 'test.yml', environment: {} }).systems
  if (a === undefined || other === undefined) throw new Error('two systems are required')
  return { a: a.resources, other: other.resources }
}

describe('the section resources', () => {
  test('has defaults: buckets are off', () => {
    const { a } = resourcesOf()
    expect(
      Object.fromEntries(Object.entries(a).map(([name, { schedule }]) => [name, schedule])),
    ).toMatchObject({
      system: '15 * * * * *',
      pools: '30 */5 * * * *',
      replication: '45 */5 * * * *',
      namespaces: '0 */15 * * * *',
      quotas: '0 20 * * * *',
      buckets: '',
      inventory: '0 40 * * * *',
      data_nodes: '',
      providers: '0 */15 * * * *',
      system_queries: '30 */5 * * * *',
    })
    expect(a.namespaces).toMatchObject({ include: '', exclude: '', max: 500 })
    expect(a.buckets).toMatchObject({ include: '', exclude: '', max: 100 })
  })

  test('has the data ports of the nodes, which are off', () => {
    const { a, other } = resourcesOf(
      'resources: {data_nodes: {scheme: http, tls_config: {server_name: s3}}}',
      ', resources: {data_nodes: {schedule: "1 * * * * *", port: 9020, tls_config: {insecure_skip_verify: true}}}',
    )
    expect(a.data_nodes).toMatchObject({ schedule: '1 * * * * *' })
    const tls = { serverName: 's3', insecureSkipVerify: true }
    expect(a.data_nodes.dataPort).toMatchObject({ scheme: 'http', port: 9020, maintenance: false, tls })
    expect(other.data_nodes).toMatchObject({ schedule: '', dataPort: { port: 9021 } })
    expect(resourcesOf().a.data_nodes.dataPort).toMatchObject({ scheme: 'https', port: 9021 })
  })

  test('under a system comes before that of the file, key by key', () => {
    const { a, other } = resourcesOf(
      'resources: {system: {schedule: ""}, namespaces: {max: 20, exclude: x}}',
      ', resources: {system: {schedule: "5 * * * * *"}, namespaces: {max: 10}}',
    )
    expect([a.system.schedule, other.system.schedule]).toEqual(['5 * * * * *', ''])
    expect(a.namespaces).toMatchObject({ include: '', exclude: 'x', max: 10 })
    expect(other.namespaces).toMatchObject({ include: '', exclude: 'x', max: 20 })
  })

  test.each([
    ['', '30 */5 * * * *'],
    ['performance: {source: feed}', ''],
    ['performance: {schedule: "0 */10 * * * *"}', '0 */10 * * * *'],
    // With every poll.
    ['performance: {schedule: ""}\npoll: {schedule: "7 * * * * *"}', '7 * * * * *'],
    ['poll: {schedule: ""}', '30 */5 * * * *'],
  ])('%j: queries about the system are sent at %j', (sections, expected) => {
    expect(resourcesOf(sections).a.system_queries.schedule).toBe(expected)
  })

  test.each([
    ['resources: {pools: {schedule: ""}}', 'pools'],
    ['resources: {data_nodes: {port: 65536}}', 'port'],
    ['resources: {data_nodes: {scheme: ftp}}', 'scheme'],
    ['resources: {data_nodes: {tls_config: {cert_file: a.pem}}}', 'cert_file'],
    ['resources: {system: {port: 1}}', 'port'],
    ['resources: {namespaces: {max: 5001}}', 'max'],
    ['resources: {buckets: {top: 0}}', 'top'],
    ['resources: {namespaces: {include: "("}}', 'include'],
    ['resources: {system: {schedule: "x"}}', 'schedule'],
  ])('%s is an error', (sections, key) => {
    expect(() => resourcesOf(sections)).toThrow(key)
  })
})
