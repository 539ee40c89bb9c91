import { expect, test } from 'vitest'
import { type Element, elementsOf, writeXml } from '../src/xml_writer.ts'

const written = (root: Element) =>
  writeXml(root).replace(/^<\?xml version="1.0" encoding="UTF-8" standalone="yes"\?>/, '')

test('a document has a prolog', () => {
  expect(writeXml({ name: 'a' })).toBe('<?xml version="1.0" encoding="UTF-8" standalone="yes"?><a/>')
})

test.each<[string, Element, string]>([
  ['that is empty', { name: 'a', content: [] }, '<a/>'],
  ['with text', { name: 'a', content: 'x' }, '<a>x</a>'],
  [
    'with children',
    { name: 'a', content: [{ name: 'b' }, { name: 'c', content: 'x' }] },
    '<a><b/><c>x</c></a>',
  ],
  ['with attributes', { name: 'a', attributes: { b: '1', c: '2' } }, '<a b="1" c="2"/>'],
  [
    'with markup in its text',
    { name: 'a', content: '<&>"\r\n\t' },
    '<a>&lt;&amp;&gt;&quot;&#13;&#10;&#9;</a>',
  ],
  [
    'with markup in an attribute',
    { name: 'a', attributes: { b: '<&>"\r\n\t' } },
    '<a b="&lt;&amp;&gt;&quot;&#13;&#10;&#9;"/>',
  ],
  [
    'with characters that XML does not allow',
    { name: 'a', content: '\u0000\u001f\uffff\ud800x' },
    '<a>\ufffd\ufffd\ufffd\ufffdx</a>',
  ],
])('an element %s', (_, element, expected) => {
  expect(written(element)).toBe(expected)
})

test('members are elements; those that are undefined are omitted', () => {
  const content = elementsOf({ a: 1, b: undefined, c: false, d: '' })
  expect(written({ name: 'all', content })).toBe('<all><a>1</a><c>false</c><d/></all>')
})
