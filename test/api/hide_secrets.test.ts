import { describe, expect, test } from 'vitest'
import { hideSecrets } from '../../src/api/hide_secrets.ts'

const TOKEN = 'BAAc/Q0x+Od3g=='
const PASSWORD = 'pass "word" & <more>/'
const basic = Buffer.from(`monitor:${PASSWORD}`).toString('base64')
const sent = { Accept: 'application/json', 'X-SDS-AUTH-TOKEN': TOKEN, Authorization: `Basic ${basic}` }

describe('hideSecrets', () => {
  test.each<[string, string]>([
    ['the token', TOKEN],
    ['in JSON with escaped slashes', TOKEN.replaceAll('/', '\\/')],
    ['percent-encoded', encodeURIComponent(TOKEN)],
    ['in base64', Buffer.from(TOKEN).toString('base64')],
    ['the password', PASSWORD],
    ['the password in JSON', JSON.stringify(PASSWORD).slice(1, -1)],
    ['the password in XML', 'pass "word" &amp; &lt;more&gt;/'],
    ['the password in an attribute of XML', 'pass &quot;word&quot; &amp; &lt;more&gt;/'],
    ['the password percent-encoded', encodeURIComponent(PASSWORD)],
    ['user and password', `monitor:${PASSWORD}`],
    ['user and password in base64', basic],
  ])('%s', (_, form) => {
    expect(hideSecrets(`before ${form} after`, sent)).toBe('before <secret> after')
  })

  test('leaves everything else alone', () => {
    const text = '{"code":4000,"description":"Invalid credentials","details":"application/json"}'
    expect(hideSecrets(text, sent)).toBe(text)
    expect(
      hideSecrets('a b c', { Authorization: `Basic ${Buffer.from('monitor:b').toString('base64')}` }),
    ).toBe('a b c')
  })
})
