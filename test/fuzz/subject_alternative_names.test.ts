import fc from 'fast-check'
import { expect } from 'vitest'
import { alternativeNames } from '../../src/server/listener/tls_server.ts'
import { mutatedText, textOfPieces } from './support/arbitraries.ts'
import { fuzz } from './support/fuzz.ts'

const NAMES = [
  'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
  'email:a@example.net, URI:spiffe://a/b, DNS:"a, DNS:b"',
  'DirName:"CN=a, O=b", othername:<unsupported>, Registered ID:1.2.3',
]
const PIECES = [
  'DNS:',
  'IP Address:',
  'email:',
  'URI:',
  'othername:',
  '"',
  '\\',
  '\\"',
  '\\u00',
  '\\x',
  ', ',
  ',',
  ':',
  '\n',
  '::1',
  'a',
]

fuzz('subjectAltName', {
  corpus: 'subject_alternative_names',
  input: fc.oneof(mutatedText(NAMES, PIECES), textOfPieces(PIECES)),
  runs: 1000,
  check: (text) => {
    for (const name of alternativeNames(text)) expect(typeof name).toBe('string')
  },
})

/** A list as Node.js writes it: names with special characters are JSON strings. */
function writeNames(names: readonly (readonly [string, string])[]): string {
  return names
    .map(([kind, name]) => `${kind}:${/[^\x20-\x7e]|[",'\\]/.test(name) ? JSON.stringify(name) : name}`)
    .join(', ')
}

fuzz('subjectAltName, as written by Node.js', {
  corpus: 'written_alternative_names',
  input: fc
    .array(fc.tuple(fc.constantFrom('DNS', 'email', 'URI'), fc.string({ unit: 'grapheme' })))
    .map((names) => JSON.stringify(names)),
  runs: 300,
  check: (json) => {
    const names: [string, string][] = JSON.parse(json)
    expect(alternativeNames(writeNames(names))).toEqual(names.map(([, name]) => name))
  },
})
