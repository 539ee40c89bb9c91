import { XMLParser } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import { call, type Json, SECURITY, startEmulator } from './client.ts'

const LIST = '/vdc/admin/authnproviders'
const URN = /^urn:storageos:AuthnProvider:[0-9a-f-]{36}:$/

describe('the list of providers', () => {
  test('in JSON has link, name and id', async () => {
    const response = await call(await startEmulator(), `${LIST}.json`)
    expect(response.headers['content-type']).toMatch(/^application\/json/)
    expect(Object.keys(response.json())).toEqual(['authnprovider'])
    const providers: Json[] = response.json().authnprovider
    expect(providers.map(({ name }) => name)).toContain('Forschung & Entwicklung <Köln>')
    for (const provider of providers) {
      expect(Object.keys(provider)).toEqual(['link', 'name', 'id'])
      expect(provider.id).toMatch(URN)
      expect(provider.link).toEqual({ rel: 'self', href: `${LIST}/${provider.id}` })
    }
  })

  test('in XML has the same content, with an empty link element', async () => {
    const emulator = await startEmulator()
    const response = await call(emulator, LIST)
    expect(response.headers['content-type']).toBe('application/xml')
    expect(response.text).toMatch(
      /^<\?xml version="1\.0" encoding="UTF-8" standalone="yes"\?><authnproviders>/,
    )
    expect(response.text).toMatch(/<link href="[^"]+" rel="self"\/>/)
    const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' })
    const { authnprovider } = parser.parse(response.text).authnproviders
    const fromJson = (await call(emulator, `${LIST}.json`)).json().authnprovider
    expect(authnprovider).toEqual(fromJson)
    expect(Object.keys(authnprovider[0])).toEqual(['id', 'link', 'name'])
  })
})

test('the link of a provider leads to its record, in both formats', async () => {
  const emulator = await startEmulator()
  const { authnprovider } = (await call(emulator, `${LIST}.json`)).json()
  const list = (await call(emulator, LIST)).text
  for (const provider of authnprovider) {
    expect((await call(emulator, `${provider.link.href}.json`)).json()).toEqual(provider)
    const xml = (await call(emulator, provider.link.href)).text.replace(/^<\?[^>]*>/, '')
    expect(list).toContain(xml)
  }
  expect((await call(emulator, `${LIST}/urn:storageos:AuthnProvider:none:`)).status).toBe(404)
})

describe('deleting a provider', () => {
  test.each([
    ['as it is', (id: string) => id],
    ['percent-encoded', (id: string) => encodeURIComponent(id)],
    ['with .json', (id: string) => `${id}.json`],
    ['percent-encoded, with .json', (id: string) => `${encodeURIComponent(id)}.json`],
  ])('accepts the id %s, responds with 200 without a body, then with 404', async (_name, form) => {
    const emulator = await startEmulator()
    const [first, ...others]: Json[] = (await call(emulator, `${LIST}.json`)).json().authnprovider
    const path = `${LIST}/${form(first.id)}`
    const response = await call(emulator, path, { method: 'DELETE', token: SECURITY })
    expect([response.status, response.text, response.headers['content-length']]).toEqual([200, '', '0'])
    expect((await call(emulator, `${LIST}.json`)).json().authnprovider).toEqual(others)
    const again = await call(emulator, path, { method: 'DELETE', token: SECURITY })
    expect(again.status).toBe(404)
    expect(again.text).toContain('2000')
  })
})
