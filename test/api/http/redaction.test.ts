import { describe, expect, test } from 'vitest'
import { createRedaction, TOKEN_HEADER } from '../../../src/api/http/credentials.ts'

const TOKEN = 'BAAc/Q0x+Od3g=='
const PASSWORD = 'pass "wörd" & <more>/100%+\\'
const base64 = (text: string) => Buffer.from(text).toString('base64')
const login = (password: string) => ({ Authorization: `Basic ${base64(`monitor:${password}`)}` })
const withToken = (token: string) => ({ Accept: 'application/json', [TOKEN_HEADER]: token })
const percentEncoded = (text: string) =>
  Buffer.from(text)
    .toString('hex')
    .replaceAll(/../g, (byte) => `%${byte}`)

describe('the secrets of a request', () => {
  const redact = createRedaction(false)({ ...withToken(TOKEN), ...login(PASSWORD) })

  test.each<[string, string]>([
    ['the token', TOKEN],
    ['the token in base64', base64(TOKEN)],
    ['the token in base64url', Buffer.from(TOKEN).toString('base64url')],
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

  test('is searched as a whole', () => {
    const token = 'token-0123456789'
    const quoted = createRedaction(false)(withToken(token))(`${'x'.repeat(3990)}${token} and more`)
    expect(quoted).toBe('<secret>')
  })

  test('without a secret is unchanged, also if it contains most of one', () => {
    expect(redact(`${secret} `)).toBe(`${secret} `)
  })

  test.each(['a', '%25', '%', '%61', '+'])('of repeated %s is searched in linear time', (piece) => {
    const before = process.threadCpuUsage()
    redact(piece.repeat(4_000_000 / piece.length))
    expect(process.threadCpuUsage(before).user).toBeLessThan(1_000_000)
  })
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
