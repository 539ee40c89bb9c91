import { beforeAll, describe, expect, test } from 'vitest'
import { certificateProblem, isMismatch, keyProblem, rootProblem } from '../../../src/config/values/pem.ts'
import { LOCAL_SANS, makeAuthority } from '../../server/listener/certificates.ts'

const pem = { root: '', server: '', key: '', otherKey: '' }

beforeAll(async () => {
  const authority = await makeAuthority('test CA')
  const server = await authority.issue('server', LOCAL_SANS)
  const other = await authority.issue('other', LOCAL_SANS)
  Object.assign(pem, { root: authority.cert, server: server.cert, key: server.key, otherKey: other.key })
})

/** The format of `openssl x509 -trustout`. */
const trusted = (certificate: string) => certificate.replaceAll(/(BEGIN|END) (?=CERTIFICATE)/g, '$1 TRUSTED ')
const cut = (certificate: string) => certificate.slice(0, certificate.length / 2)

describe('certificateProblem', () => {
  test('accepts both kinds of certificates with surrounding text', () => {
    for (const text of [
      pem.server,
      trusted(pem.server),
      `# mine\n${pem.server}\n\n${pem.root}\n${pem.key}`,
    ]) {
      expect(certificateProblem(text)).toBeUndefined()
    }
  })

  test.each<[string, () => string, string]>([
    ['nothing', () => '', 'no certificate (PEM expected)'],
    ['a key', () => pem.key, 'no certificate (PEM expected)'],
    ['a certificate without its end', () => cut(pem.server), 'no certificate (PEM expected)'],
    [
      'one without its end before another',
      () => cut(pem.server) + pem.root,
      'a certificate that cannot be read (number 1 of 1)',
    ],
    [
      'two without a newline between them',
      () => pem.server + pem.root,
      'a certificate that cannot be read (number 1 of 1)',
    ],
    [
      'a broken one of two',
      () => `${pem.root}\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
      'a certificate that cannot be read (number 2 of 2)',
    ],
  ])('%s', (_, text, words) => {
    expect(certificateProblem(text())).toBe(`contains ${words}`)
    expect(rootProblem(text())).toBe(`contains ${words}`)
  })
})

test('rootProblem requires a root certificate', () => {
  expect(rootProblem(pem.server)).toContain('contains no root certificate')
  expect(rootProblem(`${pem.server}\n${trusted(pem.root)}`)).toBeUndefined()
})

test('keyProblem accepts a private key', () => {
  expect(keyProblem(pem.key)).toBeUndefined()
  expect(keyProblem(pem.server)).toContain('contains no usable private key')
})

test('a key belongs to the first certificate', () => {
  expect(isMismatch({ text: `${pem.server}\n${pem.root}` }, { text: pem.key })).toBe(false)
  expect(isMismatch({ text: trusted(pem.server) }, { text: pem.key })).toBe(false)
  expect(isMismatch({ text: pem.server }, { text: pem.otherKey })).toBe(true)
})
