import { describe, expect, test } from 'vitest'
import { writeProviders } from '../../../src/administration/documents.ts'
import { ApiError } from '../../../src/api/errors/errors.ts'
import { decodeProviders, type Provider, providerPath } from '../../../src/api/providers/providers.ts'

const A = { id: 'urn:ns:AuthnProvider:a:', name: 'corporate', link: { rel: 'self', href: '/vdc/a' } }
const B = { id: 'urn:AuthProvider:b', name: 'lab', link: undefined }
const XML_A =
  '<authnprovider><id>urn:ns:AuthnProvider:a:</id><link href="/vdc/a" rel="self"/><name>corporate</name></authnprovider>'
const XML_B = '<authnprovider><id>urn:AuthProvider:b</id><name>lab</name></authnprovider>'
const PROLOG = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'

/** The providers, or the reason of the failure. */
function outcomeOf(text: string): unknown {
  try {
    return decodeProviders(text)
  } catch (failure) {
    if (failure instanceof ApiError) return failure.reason
    throw failure
  }
}

const listOf = (entries: string) => `<authnproviders>${entries}</authnproviders>`
const withId = (id: string) => listOf(`<authnprovider><id>${id}</id></authnprovider>`)

describe('a list in XML', () => {
  test.each<[string, readonly Provider[]]>([
    [`${PROLOG}<authnproviders>${XML_A}${XML_B}</authnproviders>`, [A, B]],
    [listOf(XML_A), [A]],
    ['<authnproviders></authnproviders>', []],
    [`${PROLOG}\n<authnproviders/>\n`, []],
    [`<!-- a -->\n<authnproviders>\n  <!-- b -->\n  ${XML_B}\n</authnproviders>`, [B]],
    [`\uFEFF<authnproviders>${XML_B}</authnproviders>`, [B]],
    [`<authnproviders xmlns="urn:x">${XML_A}</authnproviders>`, [A]],
    [listOf(XML_B).replaceAll(/<\/?/g, '$&x:').replace('>', ' xmlns:x="urn:x">'), [B]],
    [`<?go now?><authnproviders>${XML_B}</authnproviders>`, [B]],
    [`<authnproviders><page>1</page>${XML_B}</authnproviders>`, [B]],
    [listOf(XML_B.replace(/urn[^<]*/, '\n  $&\n')), [B]],
  ])('%s', (text, expected) => {
    expect(decodeProviders(text)).toEqual(expected)
  })

  test.each([
    ['R&amp;D &lt;x&gt; &quot;a&quot; &apos;b&apos;', `R&D <x> "a" 'b'`],
    ['&#75;&#xF6;ln &#x1F600;', 'Köln 😀'],
    ['&amp;lt;', '&lt;'],
    ['&unknown; &#0;&#xD800;', '&unknown; '],
    ['<![CDATA[<b>&amp;</b>]]>', '<b>&amp;</b>'],
    ['a &amp; <![CDATA[b & ]]>c', 'a & b & c'],
    ['007', '007'],
    ['1e5', '1e5'],
    ['true', 'true'],
    ['  a  b ', '  a  b '],
    ['', ''],
    ['constructor', 'constructor'],
  ])('with %j in a name', (written, name) => {
    const text = listOf(`<authnprovider><id>urn:a:</id><name>${written}</name></authnprovider>`)
    expect(decodeProviders(text)).toEqual([{ id: 'urn:a:', name, link: undefined }])
  })

  test.each([
    ['that is truncated', `<authnproviders>${XML_A}`, 'syntax'],
    ['with two roots', '<authnproviders/><authnproviders/>', 'syntax'],
    ['with text after the root', `${listOf(XML_A)}x`, 'syntax'],
    ['with another root', '<error><code>1</code></error>', 'schema'],
    ['without an id', listOf('<authnprovider><name>a</name></authnprovider>'), 'schema'],
    ['with an empty id', withId(''), 'schema'],
    ['with a document type', `<!DOCTYPE authnproviders>${listOf(XML_A)}`, 'syntax'],
    ['with an external entity', `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///x">]>${withId('&x;')}`, 'syntax'],
    [
      'with entities that expand exponentially',
      `<!doctype a [<!ENTITY a "aaaaaaaaaa">${'bcdefghij'.replace(/./g, (c) => `<!ENTITY ${c} "${`&${String.fromCharCode(c.charCodeAt(0) - 1)};`.repeat(10)}">`)}]><authnproviders>&j;</authnproviders>`,
      'syntax',
    ],
    ['with an unescaped ampersand', withId('a & b'), 'syntax'],
    ['that is nested too deeply', listOf(`${'<a>'.repeat(50)}${'</a>'.repeat(50)}`), 'syntax'],
    ['with an element named __proto__', listOf('<__proto__/>'), 'syntax'],
    ['that is HTML', '<!DOCTYPE html><html><body>Login</body></html>', 'html'],
    ['that is HTML without a document type', '<html lang="en"></html>', 'html'],
    ['that is too long', listOf(' '.repeat(2_000_000)), 'too_large'],
    ['with too many elements', `<authnproviders>${'<a/>'.repeat(100_000)}</authnproviders>`, 'too_large'],
    ['with too many attributes', `<a ${'b="" '.repeat(200_000)}/>`, 'too_large'],
    ['with too many attributes without a value', `<a ${'b '.repeat(200_000)}/>`, 'too_large'],
    ['with too many attributes without blanks', `<a ${'b=""'.repeat(200_000)}/>`, 'too_large'],
    ['with too many attributes behind >', `<a b=">" ${'b '.repeat(200_000)}/>`, 'too_large'],
    ['with a long name of an element', listOf(`<a${'a'.repeat(256)}/>`), 'too_large'],
    ['with a long name of an attribute', `<authnproviders a${'a'.repeat(256)}="1"/>`, 'too_large'],
    ['with too many entities', `<authnproviders>${'&lt;'.repeat(100_000)}</authnproviders>`, 'too_large'],
    ['of nothing', ' ', 'syntax'],
  ])('%s is refused', (_what, text, reason) => {
    expect(outcomeOf(text)).toBe(reason)
  })

  test('the error does not quote the document', () => {
    for (const text of ['<a><secret></a>', '{"secret', '<secret/>', '<!DOCTYPE secret>']) {
      expect(() => decodeProviders(text)).toThrow(/^(?!.*secret)/)
    }
  })
})

test.each([
  ['JSON', '{"authnprovider":[{"name":"a"},{"id":"urn:b:","name":"b"},{"id":""},{"id":7}]}'],
  ['XML', listOf('<authnprovider/><authnprovider><id>urn:b:</id><name>b</name></authnprovider>')],
])('a provider without an id is left out: %s', (_, text) => {
  expect(decodeProviders(text)).toEqual([{ id: 'urn:b:', name: 'b', link: undefined }])
})

describe('a list in JSON', () => {
  const json = (value: unknown) => JSON.stringify(value)
  test.each<[unknown, readonly Provider[]]>([
    [
      {
        authnprovider: [
          { link: A.link, name: A.name, id: A.id },
          { id: B.id, name: B.name },
        ],
      },
      [A, B],
    ],
    [{ authnprovider: { id: B.id, name: B.name, link: null } }, [B]],
    [{ authnprovider: [] }, []],
    [{ authnprovider: null }, []],
    [{}, []],
    [null, []],
    [{ authnprovider: [{ ...B, link: 'self' }] }, [B]],
    [{ authnprovider: [{ ...B, link: { href: '/x' } }] }, [{ ...B, link: { href: '/x', rel: 'self' } }]],
    [{ authnprovider: [{ ...B, mode: 'ad' }], total: 1 }, [B]],
    [{ authnprovider: [{ id: 'urn:a:', name: null }] }, [{ id: 'urn:a:', name: '', link: undefined }]],
  ])('%j', (value, expected) => {
    expect(decodeProviders(json(value))).toEqual(expected)
  })

  test.each<[string, string, string]>([
    ['of another object', json({ error: 'no' }), 'schema'],
    ['that is an array', json([A]), 'schema'],
    ['that is a text', json('authnprovider'), 'schema'],
    ['with an entry that is no object', json({ authnprovider: ['urn:a:'] }), 'schema'],
    ['with an entry without an id', json({ authnprovider: [{ name: 'a' }] }), 'schema'],
    ['with an id that is a number', json({ authnprovider: [{ id: 7 }] }), 'schema'],
    ['that is truncated', '{"authnprovider":[', 'syntax'],
    ['of nothing', '', 'syntax'],
    [
      'of too many',
      json({ authnprovider: Array.from({ length: 2_001 }, (_, id) => ({ id: `urn:${id}` })) }),
      'too_large',
    ],
    ['of a very long name', json({ authnprovider: [{ id: 'a', name: '&'.repeat(2 ** 20) }] }), 'too_large'],
  ])('%s is refused', (_what, text, reason) => {
    expect(outcomeOf(text)).toBe(reason)
  })
})

describe('a written list is read back equal', () => {
  test.each(['xml', 'json'] as const)('two thousand providers, in %s', (format) => {
    const list = Array.from({ length: 2_000 }, (_, index) => ({
      id: `urn:storageos:AuthnProvider:01234567-89ab-cdef-0123-${String(index).padStart(12, '0')}:`,
      name: `provider ${index}`,
      link: undefined,
    }))
    expect(decodeProviders(writeProviders(list, format))).toHaveLength(list.length)
  })

  test('both formats are those of the API document', () => {
    expect(writeProviders([B], 'xml')).toBe(
      `${PROLOG}<authnproviders><authnprovider><id>urn:AuthProvider:b</id>` +
        '<link href="/vdc/admin/authnproviders/urn:AuthProvider:b" rel="self"/><name>lab</name></authnprovider></authnproviders>',
    )
    expect(writeProviders([], 'xml')).toBe(`${PROLOG}<authnproviders/>`)
    expect(JSON.parse(writeProviders([A], 'json'))).toEqual({ authnprovider: [A] })
    expect(writeProviders([], 'json')).toBe('{"authnprovider":[]}')
  })
})

describe('the path of a provider', () => {
  test.each([
    ['urn:storageos:AuthnProvider:2f0b:', '/vdc/admin/authnproviders/urn:storageos:AuthnProvider:2f0b:'],
    ['urn:AuthProvider:fe48', '/vdc/admin/authnproviders/urn:AuthProvider:fe48'],
    ['a;b=c', '/vdc/admin/authnproviders/a%3Bb%3Dc'],
    ['Köln', '/vdc/admin/authnproviders/K%C3%B6ln'],
    ['a.json.b', '/vdc/admin/authnproviders/a.json.b'],
  ])('%s', (id, path) => {
    expect(providerPath(id)).toBe(path)
  })

  test.each(['', '..', 'a/b', 'urn:a:.json', 'urn:a:.JSON'])('refuses %j', (id) => {
    expect(() => providerPath(id)).toThrow(ApiError)
  })
})
