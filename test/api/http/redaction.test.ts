import { describe, expect, test } from 'vitest'
import { createSecretMemory } from '../../../src/api/http/redaction.ts'
import { TOKEN_HEADER } from '../../../src/api/http/token_header.ts'

const TOKEN = 'BAAc/Q0x+Od3g=='
const PASSWORD = 'pass "word" & <more>/'
const basicOf = (password: string) => Buffer.from(`monitor:${password}`).toString('base64')
const login = (password: string) => ({ Authorization: `Basic ${basicOf(password)}` })
const withToken = (token: string) => ({ Accept: 'application/json', [TOKEN_HEADER]: token })

describe('words that are quoted', () => {
  const { quoted } = createSecretMemory(false).sending({ ...withToken(TOKEN), ...login(PASSWORD) })

  test.each<[string, string]>([
    ['the token', TOKEN],
    ['in JSON with escaped slashes', TOKEN.replaceAll('/', '\\/')],
    ['percent-encoded', encodeURIComponent(TOKEN)],
    ['percent-encoded in lower case', 'BAAc%2fQ0x%2bOd3g%3d%3d'],
    ['in base64', Buffer.from(TOKEN).toString('base64')],
    ['in base64 for URLs', Buffer.from(TOKEN).toString('base64url')],
    ['itself with the alphabet for URLs', 'BAAc_Q0x-Od3g'],
    ['the password', PASSWORD],
    ['the password in JSON', JSON.stringify(PASSWORD).slice(1, -1)],
    ['the password in XML', 'pass "word" &amp; &lt;more&gt;/'],
    ['the password in an attribute of XML', 'pass &quot;word&quot; &amp; &lt;more&gt;/'],
    ['the password percent-encoded', encodeURIComponent(PASSWORD)],
    ['user and password', `monitor:${PASSWORD}`],
    ['user and password in base64', basicOf(PASSWORD)],
  ])('lose %s', (_, form) => {
    expect(quoted(`before ${form} after`)).toBe('before <secret> after')
  })

  test('keep everything else', () => {
    expect(quoted('Invalid credentials, application/json')).toBe('Invalid credentials, application/json')
    expect(createSecretMemory(false).sending(login('b')).quoted('a b c')).toBe('a b c')
  })
})

describe('what was sent before', () => {
  test('is hidden, too: the password of the login, and tokens before this one', () => {
    const memory = createSecretMemory(true)
    memory.sending(login('Winter-2026'))
    memory.sending(withToken('token-of-morning'))
    const { quoted, data } = memory.sending(withToken('token-of-evening'))
    expect(quoted('token-of-morning of Winter-2026, then token-of-evening')).toBe(
      '<secret> of <secret>, then <secret>',
    )
    expect(data('["token-of-morning"]')).toBe('["<secret>"]')
  })

  test('is forgotten where each request is of somebody else', () => {
    const memory = createSecretMemory(false)
    memory.sending(withToken('token-of-alice'))
    expect(memory.sending(withToken('token-of-bob')).quoted('token-of-alice')).toBe('token-of-alice')
  })

  test('is remembered for a while, not for ever', () => {
    const memory = createSecretMemory(true)
    memory.sending(withToken('token-first'))
    for (let count = 0; count < 100; count += 1) memory.sending(withToken(`token-${count}`))
    const { quoted } = memory.sending(withToken('token-last'))
    expect(quoted('token-first token-99 token-last')).toBe('token-first <secret> <secret>')
  })
})

describe('data', () => {
  const dataOf = (text: string, headers: Readonly<Record<string, string>> = withToken(TOKEN)) =>
    createSecretMemory(true).sending(headers).data(text)

  test('loses a token in every way of writing JSON', () => {
    const escaped = [...TOKEN]
      .map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join('')
    for (const form of [TOKEN, TOKEN.replaceAll('=', '\\u003d'), TOKEN.replaceAll('/', '\\/'), escaped]) {
      expect(JSON.parse(dataOf(`{"displayName": "node of ${form}", "t": 1e3}`))).toEqual({
        displayName: 'node of <secret>',
        t: 1000,
      })
    }
  })

  test('without a token is what it was, to the byte', () => {
    for (const text of ['{"a" : "\\u0041"}', '{"a" : 1.50}', 'no JSON \\u00', '<xml/>', ''])
      expect(JSON.stringify(dataOf(text, {}))).toBe(JSON.stringify(text))
    expect(dataOf('{"a" : 1.50}')).toBe('{"a" : 1.50}')
  })

  test('keeps its figures and names, whatever the password is, or a token that is short or a number', () => {
    const text = '{"t":"1712345678","Space":"1712345678.5","id":"node","displayName":"monitor"}'
    for (const secret of ['1712', '1712345678', 'node', 'monitor', 'true']) {
      expect(dataOf(text, login(secret))).toBe(text)
      expect(dataOf(text, withToken(secret))).toBe(text)
    }
  })
})
