import { describe, expect, test } from 'vitest'
import { TOKEN_HEADER } from '../../../src/api/http/credentials.ts'
import { createRedaction } from '../../../src/api/http/redaction.ts'

const TOKEN = 'BAAc/Q0x+Od3g=='
const PASSWORD = 'pass "wörd" & <more>/100%+\\'
const base64 = (text: string) => Buffer.from(text).toString('base64')
const login = (password: string) => ({ Authorization: `Basic ${base64(`monitor:${password}`)}` })
const withToken = (token: string) => ({ Accept: 'application/json', [TOKEN_HEADER]: token })
const percentEncoded = (text: string) =>
  Buffer.from(text)
    .toString('hex')
    .replaceAll(/../g, (byte) => `%${byte}`)
const escapeHtml = (text: string) => text.replaceAll(/[&<>"]/g, (one) => `&${HTML_NAMES[one]};`)
const HTML_NAMES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' }
const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
const unicodeEscape = (one: string) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`

describe('the secrets of a request', () => {
  const redact = createRedaction(false)({ ...withToken(TOKEN), ...login(PASSWORD) })

  test.each<[string, string]>([
    ['the token', TOKEN],
    ['the token in base64', base64(TOKEN)],
    ['the token in base64url', Buffer.from(TOKEN).toString('base64url')],
    ['the token in hex', Buffer.from(TOKEN).toString('hex')],
    ['the token in upper-case hex', Buffer.from(TOKEN).toString('hex').toUpperCase()],
    ['the password', PASSWORD],
    ['user and password', `monitor:${PASSWORD}`],
    ['user and password in base64', base64(`monitor:${PASSWORD}`)],
  ])('a text with %s is replaced', (_, form) => {
    expect(redact(`before ${form} after`)).toBe('<secret>')
  })

  test.each<[string, string]>([
    ['the token percent-encoded', encodeURIComponent(TOKEN)],
    ['the password percent-encoded', encodeURIComponent(PASSWORD)],
    ['the password percent-encoded in full', percentEncoded(PASSWORD)],
    ['the password percent-encoded twice', encodeURIComponent(encodeURIComponent(PASSWORD))],
    ['the password of a form', new URLSearchParams({ p: PASSWORD }).toString().slice(2)],
    ['the password in HTML', escapeHtml(PASSWORD)],
    ['the password in HTML, twice', escapeHtml(escapeHtml(PASSWORD))],
    [
      'the password in HTML, as numbers',
      PASSWORD.replaceAll(/./gu, (one) => `&#x${one.codePointAt(0)?.toString(16)};`),
    ],
    ['the password in JSON', inJson(PASSWORD)],
    ['the password in JSON in JSON', inJson(inJson(PASSWORD))],
    ['the password in JSON with unnecessary escapes', PASSWORD.replaceAll(/./gu, unicodeEscape)],
    ['the password in JSON in JSON, as numbers', inJson(PASSWORD.replaceAll(/./gu, unicodeEscape))],
    ['the password in JSON, percent-encoded', encodeURIComponent(inJson(PASSWORD))],
    ['the password in JSON and HTML', escapeHtml(inJson(PASSWORD))],
    ['user and password in HTML', escapeHtml(`monitor:${PASSWORD}`)],
  ])('a text with %s is replaced', (_, form) => {
    expect(redact(`before ${form} after`)).toBe('<secret>')
  })

  test('other text is unchanged; so are secrets shorter than four characters', () => {
    expect(redact('Invalid credentials, application/json')).toBe('Invalid credentials, application/json')
    expect(createRedaction(false)(login('b'))('a b c')).toBe('a b c')
  })
})

describe('long text', () => {
  const secret = 'a'.repeat(2000)
  const redact = createRedaction(false)(withToken(`${secret}b`))

  test('is searched for the beginning of a secret at its end', () => {
    const token = 'token-0123456789'
    const quoted = createRedaction(false)(withToken(token))(`${'x'.repeat(3990)}${token} and more`)
    expect(quoted).toBe('<secret>')
  })

  test('without a secret is unchanged, also if it contains most of one', () => {
    expect(redact(`${secret} `)).toBe(`${secret} `)
  })

  test.each(['a', '\\\\', '%25', '&amp;', '&', '\\u0061', '%61', '+'])(
    'of repeated %s is searched in linear time',
    (piece) => {
      const before = process.threadCpuUsage()
      redact(piece.repeat(4_000_000 / piece.length))
      expect(process.threadCpuUsage(before).user).toBeLessThan(1_000_000)
    },
  )
})

describe('the secrets of earlier requests', () => {
  test('are replaced, too: the password of the login and the token before the current one', () => {
    const redaction = createRedaction(true)
    redaction(login('Winter-2026'))
    redaction(withToken('token-one'))
    const redact = redaction(withToken('token-two'))
    for (const secret of ['token-one', 'Winter-2026', 'token-two'])
      expect(redact(`a ${secret}`)).toBe('<secret>')
  })

  test('are not kept if each request has the secret of another user', () => {
    const redaction = createRedaction(false)
    redaction(withToken('token-of-alice'))
    expect(redaction(withToken('token-of-bob'))('token-of-alice')).toBe('token-of-alice')
  })

  test('are kept up to a limit', () => {
    const redaction = createRedaction(true)
    redaction(withToken('token-first'))
    for (let count = 0; count < 100; count += 1) redaction(withToken(`token-${count}`))
    expect(redaction(withToken('token-last'))('token-first')).toBe('token-first')
  })
})
