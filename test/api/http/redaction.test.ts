import { describe, expect, test } from 'vitest'
import { createRedaction } from '../../../src/api/http/redaction.ts'
import { TOKEN_HEADER } from '../../../src/api/http/token_header.ts'

const TOKEN = 'BAAc/Q0x+Od3g=='
const PASSWORD = 'pass "word" & <more>/'
const base64 = (text: string) => Buffer.from(text).toString('base64')
const login = (password: string) => ({ Authorization: `Basic ${base64(`monitor:${password}`)}` })
const withToken = (token: string) => ({ Accept: 'application/json', [TOKEN_HEADER]: token })

describe('the secrets of a request', () => {
  const redact = createRedaction(false).forRequest({ ...withToken(TOKEN), ...login(PASSWORD) })

  test.each<[string, string]>([
    ['the token', TOKEN],
    ['the token percent-encoded', encodeURIComponent(TOKEN)],
    ['the token in base64', base64(TOKEN)],
    ['the token in base64url', Buffer.from(TOKEN).toString('base64url')],
    ['the password', PASSWORD],
    ['the password percent-encoded', encodeURIComponent(PASSWORD)],
    ['user and password', `monitor:${PASSWORD}`],
    ['user and password in base64', base64(`monitor:${PASSWORD}`)],
  ])('%s is replaced', (_, form) => {
    expect(redact(`before ${form} after`)).toBe('before <secret> after')
  })

  test('other text is unchanged; so are secrets shorter than four characters', () => {
    expect(redact('Invalid credentials, application/json')).toBe('Invalid credentials, application/json')
    expect(createRedaction(false).forRequest(login('b'))('a b c')).toBe('a b c')
  })
})

describe('the secrets of earlier requests', () => {
  test('are replaced, too: the password of the login and the token before the current one', () => {
    const redaction = createRedaction(true)
    redaction.forRequest(login('Winter-2026'))
    redaction.forRequest(withToken('token-one'))
    const redact = redaction.forRequest(withToken('token-two'))
    expect(redact('token-one of Winter-2026, then token-two')).toBe('<secret> of <secret>, then <secret>')
  })

  test('are not kept if each request has the secret of another user', () => {
    const redaction = createRedaction(false)
    redaction.forRequest(withToken('token-of-alice'))
    expect(redaction.forRequest(withToken('token-of-bob'))('token-of-alice')).toBe('token-of-alice')
  })

  test('are kept up to a limit', () => {
    const redaction = createRedaction(true)
    redaction.forRequest(withToken('token-first'))
    for (let count = 0; count < 100; count += 1) redaction.forRequest(withToken(`token-${count}`))
    expect(redaction.forRequest(withToken('token-last'))('token-first')).toBe('token-first')
  })
})
