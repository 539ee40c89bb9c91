import { expect, test } from 'vitest'
import { createEmulator } from '../../support/programs/emulator.ts'
import { type Json, jsonOf, startEmulator } from '../client.ts'

test('versions: one, and two during an upgrade', async () => {
  const versions = async (scenario: 'healthy' | 'upgrade') => {
    const { node } = await jsonOf(await startEmulator({ profile: 'modern', scenario }), '/vdc/nodes')
    return [...new Set(node.map(({ version }: Json) => version))]
  }
  expect(await versions('healthy')).toEqual(['4.3.0.0.142978.5d1c0a7b2e4'])
  expect(await versions('upgrade')).toEqual(['4.3.0.1.142978.5d1c0a7b2e4', '4.3.0.0.142978.5d1c0a7b2e4'])
})

test('the license has a date of expiry, except in version 3.5', async () => {
  const modern = await jsonOf(await startEmulator({ profile: 'modern' }), '/license')
  expect(modern.license_feature).toMatchObject([{ expired_ind: false, expiration_date: '02/09/2028' }])
  const classic = await jsonOf(await startEmulator({ profile: 'classic' }), '/license')
  expect(classic.license_feature[0]).not.toHaveProperty('expiration_date')
  const expired = await startEmulator({ profile: 'modern', faults: ['license:expired'] })
  expect((await jsonOf(expired, '/license')).license_feature).toMatchObject([
    { expired_ind: true, expiration_date: '03/01/2026' },
  ])
})

test('each node has a data port with its connections, and the maintenance mode unless only they are requested', async () => {
  const emulator = await startEmulator({
    profile: 'modern',
    dataPorts: true,
    pools: 1,
    scenario: 'maintenance',
  })
  const { node } = await jsonOf(emulator, '/vdc/nodes')
  const { port } = new URL(emulator.url)
  const ping = async (ip: string, query: string) => (await fetch(`http://${ip}:${port}/?${query}`)).text()
  const texts = await Promise.all(node.map(({ data_ip }: Json) => ping(data_ip, 'ping')))
  expect(new Set(texts.map((text) => /<Value>(\d+)/.exec(text)?.[1])).size).toBeGreaterThan(1)
  expect(texts.filter((text) => text.includes('<Status>ON</Status>'))).toHaveLength(1)
  const [first] = await Promise.all(node.map(({ data_ip }: Json) => ping(data_ip, 'ping&item=load-factor')))
  expect(first).toMatch(
    /<PingList><PingItem><Name>LOAD_FACTOR<\/Name><Value>\d+<\/Value><\/PingItem><\/PingList>$/,
  )
  expect((await fetch(`${emulator.url}/`)).status).toBe(404)
})

test('an emulator with a data address that is in use is stopped at its own address, too', async () => {
  const emulator = createEmulator({ listenAddress: '127.4.0.10:0', dataPorts: true })
  await expect(emulator.start()).rejects.toThrow('EADDRINUSE')
  const { url } = emulator
  expect(new URL(url).hostname).toBe('127.4.0.10')
  await emulator.stop()
  await expect(fetch(url)).rejects.toThrow()
})
