import fc from 'fast-check'
import { expect } from 'vitest'
import { writeProviders } from '../../src/administration/documents.ts'
import { ApiError } from '../../src/api/errors/errors.ts'
import { decodeAccount, decodeProviders, linkOf, type Provider } from '../../src/api/providers/providers.ts'
import { mutatedJson, mutatedText, textOfPieces } from './support/arbitraries.ts'
import { PROVIDERS_JSON, PROVIDERS_XML } from './support/bodies.ts'
import { fuzz, readCorpus, resultOrError } from './support/fuzz.ts'

const PIECES = [
  ...'<authnproviders> </authnproviders> <authnprovider> </authnprovider> <id> </id> <name>'.split(' '),
  ...'</name> <__proto__> <constructor/> <? ?> <!-- --> <![CDATA[ ]]> &amp; &#65; &#x0;'.split(' '),
  ...'&#xD800; &#1114112; &b; & < > /> " = { }'.split(' '),
  ...['<x:authnproviders xmlns:x="urn:x">', '<link href="/a" rel=\'b\'/>', '<toString a="b"/>'],
  ...['<?xml version="1.0"?>', '<!DOCTYPE a [<!ENTITY b "c">]>', "'"],
]

fuzz('the list of providers', {
  corpus: 'providers',
  input: fc.oneof(
    mutatedText([PROVIDERS_XML, ...readCorpus('providers')], PIECES),
    mutatedJson([PROVIDERS_JSON]),
    textOfPieces(PIECES),
  ),
  runs: 50,
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

/** The characters of XML 1.0, section 2.2; others are replaced. */
function xmlText(text: string): string {
  return text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
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
  runs: 50,
  check: (text) => {
    expect(decodeAccount(text).user?.length ?? 0).toBeLessThanOrEqual(256)
  },
})
