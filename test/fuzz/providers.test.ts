import fc from 'fast-check'
import { expect } from 'vitest'
import { writeProviders } from '../../src/administration/documents.ts'
import { ApiError } from '../../src/api/errors/errors.ts'
import { decodeProviders, linkOf, type Provider } from '../../src/api/providers/providers.ts'
import { decodeAccount } from '../../src/api/providers/whoami.ts'
import { xmlText } from '../../src/xml_writer.ts'
import { mutatedJson, mutatedText, textOfPieces } from './support/arbitraries.ts'
import { PROVIDERS_JSON, PROVIDERS_XML } from './support/bodies.ts'
import { fuzz, readCorpus, resultOrError } from './support/fuzz.ts'

const PIECES = [
  '<authnproviders>',
  '</authnproviders>',
  '<authnprovider>',
  '</authnprovider>',
  '<x:authnproviders xmlns:x="urn:x">',
  '<id>',
  '</id>',
  '<name>',
  '</name>',
  '<link href="/a" rel=\'b\'/>',
  '<__proto__>',
  '<constructor/>',
  '<toString a="b"/>',
  '<?xml version="1.0"?>',
  '<?',
  '?>',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '<!DOCTYPE a [<!ENTITY b "c">]>',
  '&amp;',
  '&#65;',
  '&#x0;',
  '&#xD800;',
  '&#1114112;',
  '&b;',
  '&',
  '<',
  '>',
  '/>',
  '"',
  "'",
  '=',
  '{',
  '}',
]

fuzz('the list of providers', {
  corpus: 'providers',
  input: fc.oneof(
    mutatedText([PROVIDERS_XML, ...readCorpus('providers')], PIECES),
    mutatedJson([PROVIDERS_JSON]),
    textOfPieces(PIECES),
  ),
  runs: 500,
  check: (text) => {
    const providers = resultOrError(() => decodeProviders(text), ApiError)
    if (providers instanceof ApiError) {
      expect(['syntax', 'schema', 'html', 'too_large']).toContain(providers.reason)
    } else {
      expect(decodeProviders(writeProviders(providers, 'json'))).toEqual(asJson(providers))
      expect(readXml(providers)).toEqual(asXml(providers))
    }
  },
})

function asJson(providers: readonly Provider[]): Provider[] {
  return providers.map((provider) => ({ ...provider, link: linkOf(provider) }))
}

/** XML has no blanks around an id, and a few characters less. */
function asXml(providers: readonly Provider[]): Provider[] {
  return asJson(providers.filter(hasXmlId)).map(({ id, name, link }) => ({
    id: xmlText(id).trim(),
    name: xmlText(name),
    link: link && { rel: xmlText(link.rel), href: xmlText(link.href) },
  }))
}

function readXml(providers: readonly Provider[]): Provider[] {
  return decodeProviders(writeProviders(providers.filter(hasXmlId), 'xml'))
}

function hasXmlId({ id }: Provider): boolean {
  return xmlText(id).trim() !== ''
}

fuzz('the user of a token', {
  corpus: 'whoami',
  input: fc.oneof(
    mutatedText(
      ['<user><common_name>monitor</common_name></user>'],
      ['<common_name>', '</common_name>', '<', '{'],
    ),
    mutatedJson(['{"common_name":"monitor"}']),
  ),
  runs: 200,
  check: (text) => {
    expect(decodeAccount(text).user?.length ?? 0).toBeLessThanOrEqual(256)
  },
})
