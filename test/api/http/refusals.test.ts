import { describe, expect, test } from 'vitest'
import type { Reason } from '../../../src/api/errors/reasons.ts'
import { parseRetryAfter, readErrorBody, refusalOf } from '../../../src/api/http/refusals.ts'
import { responseOf } from './responses.ts'

const JSON_BODY = (code: number | string, extra = '') =>
  `{"code":${JSON.stringify(code)},"description":"Something","details":"More of it"${extra}}`
const XML_BODY = (code: number) =>
  `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><error><code>${code}</code><description>A &lt;thing&gt; &amp; more</description><details>d</details><retryable>false</retryable></error>`
const HTML_BODY = '<html><body><h1>502 Bad Gateway</h1></body></html>'

describe('refusalOf', () => {
  test('200 is not a refusal, with any body', () => {
    expect(refusalOf(responseOf(200, JSON_BODY(6401)))).toBeUndefined()
  })

  test.each<[number, string, string, Reason]>([
    [401, 'wrong credentials, XML although JSON was requested', XML_BODY(401), 'auth'],
    [401, 'JSON', JSON_BODY(4000), 'auth'],
    [401, 'HTML', HTML_BODY, 'auth'],
    [401, 'no body', '', 'auth'],
    [403, 'missing role', JSON_BODY(3000), 'forbidden'],
    [403, 'no body', '', 'forbidden'],
    [403, 'HTML, as from a front end that refuses the server name', HTML_BODY, 'forbidden'],
    [500, 'missing role, in newer versions', JSON_BODY(6401, ',"retryable":false'), 'forbidden'],
    [500, 'missing role in XML', XML_BODY(6401), 'forbidden'],
    [500, 'missing role, code as a string', JSON_BODY('6401'), 'forbidden'],
    [400, 'missing role, in older versions', JSON_BODY(1026), 'forbidden'],
    [404, 'unknown entity', JSON_BODY(2000), 'not_found'],
    [404, 'no body', '', 'not_found'],
    [400, 'parameter cannot be found', JSON_BODY(1004), 'client_error'],
    [405, 'wrong method', JSON_BODY(1007), 'client_error'],
    [415, 'wrong media type', '', 'client_error'],
    [418, 'HTML', HTML_BODY, 'client_error'],
    [429, 'no body', '', 'throttled'],
    [503, 'restarting', JSON_BODY(6000, ',"retryable":true'), 'unavailable'],
    [503, 'HTML of a front end', HTML_BODY, 'unavailable'],
    [500, 'JSON', JSON_BODY(999), 'server_error'],
    [500, 'broken JSON', '{"code":', 'server_error'],
    [500, 'JSON that is not an object', '[6401]', 'server_error'],
    [502, 'HTML', HTML_BODY, 'unavailable'],
    [504, 'no body', '', 'unavailable'],
    [599, 'no body', '', 'server_error'],
    [204, 'no content', '', 'schema'],
    [206, 'partial content', '{}', 'schema'],
  ])('%i with %s is %s', (status, _what, body, reason) => {
    expect(refusalOf(responseOf(status, body))).toMatchObject({ reason, status })
  })

  test.each<[number, string, Reason]>([
    [302, '/login?service=%2Fdashboard', 'auth'],
    [302, 'https://other.example.net:4443/login?service=x', 'auth'],
    [301, '/login', 'auth'],
    [307, '/login/', 'auth'],
    [303, '/ui/Login.html#top', 'auth'],
    [302, '/login;jsessionid=1', 'auth'],
    [302, 'https://sso.example.net/signin?back=x', 'auth'],
    [302, '/elsewhere', 'redirect'],
    [302, '/elsewhere?next=/login', 'redirect'],
    [302, '/blogin', 'redirect'],
    [302, '', 'redirect'],
    [304, '', 'schema'],
    [308, 'http://[', 'redirect'],
  ])('%i to %j is %s', (status, location, reason) => {
    const answer = responseOf(status, '', location === '' ? {} : { Location: location })
    expect(refusalOf(answer)).toMatchObject({ reason, status })
  })

  test('quotes the error of the system in one line of limited length', () => {
    const refusal = refusalOf(
      responseOf(503, JSON.stringify({ code: 6000, description: 'a\nb', details: 'x'.repeat(999) })),
    )
    expect(refusal?.message).toMatch(/\(HTTP 503, code 6000\); it says: a b: x{10,200}$/)
  })

  test('has retryable of the body and Retry-After', () => {
    expect(refusalOf(responseOf(500, JSON_BODY(999, ',"retryable":false')))?.body?.retryable).toBe(false)
    expect(refusalOf(responseOf(500, JSON_BODY(999, ',"retryable":"true"')))?.body?.retryable).toBe(true)
    expect(refusalOf(responseOf(500, XML_BODY(999)))?.body?.retryable).toBe(false)
    expect(refusalOf(responseOf(500, JSON_BODY(999)))?.body?.retryable).toBeUndefined()
    expect(refusalOf(responseOf(503, '', { 'Retry-After': '30' }))?.retryAfterMs).toBe(30_000)
    expect(refusalOf(responseOf(503, ''))?.retryAfterMs).toBeUndefined()
  })
})

const bodyOf = (text: string) => readErrorBody(responseOf(400, text))

describe('readErrorBody', () => {
  test('decodes the five entities of XML, and no others', () => {
    expect(bodyOf(XML_BODY(1))?.description).toBe('A <thing> & more')
    const entity = '<!DOCTYPE x [<!ENTITY e "boom">]><error><description>&e;</description></error>'
    expect(bodyOf(entity)?.description).toBe('&e;')
    expect(bodyOf('<error><details>&#65;&#x42;&#0;&#xD800;</details></error>')?.details).toBe(
      'AB&#0;&#xD800;',
    )
  })

  test('redacts description and details after decoding, but not code and retryable', () => {
    const redact = (words: string) => words.replaceAll(/=token=|6401|false/g, '<secret>')
    const body = '{"code":6401,"retryable":false,"description":"of \\u003dtoken\\u003d","details":"6401"}'
    expect(readErrorBody({ text: body, redact })).toEqual({
      code: 6401,
      retryable: false,
      description: 'of <secret>',
      details: '<secret>',
    })
  })

  test.each([[''], ['null'], ['7'], [HTML_BODY], ['plain words'], ['<'.repeat(100_000)]])(
    '%.20j is not an error body',
    (text) => {
      expect(bodyOf(text)).toBeUndefined()
    },
  )
})

test('an HTML page is quoted by its title, redacted', () => {
  const page = (title: string) => responseOf(400, `<html><head><title>${title}</title></head></html>`)
  expect(refusalOf(page('400 No required SSL certificate was sent'))?.message).toContain(
    'it says: 400 No required SSL certificate was sent',
  )
  const redact = (words: string) => words.replaceAll('token', '<secret>')
  expect(refusalOf({ ...page('Your token'), redact })?.message).toContain('it says: Your <secret>')
  expect(refusalOf(page(''))?.message).not.toContain('it says')
})

describe('parseRetryAfter', () => {
  const now = Date.UTC(2026, 0, 1)
  test.each<[string | undefined, number | undefined]>([
    ['0', 0],
    ['30', 30_000],
    [' 30 ', 30_000],
    ['86400', 900_000],
    ['999999999', 900_000],
    ['Thu, 01 Jan 2026 00:00:10 GMT', 10_000],
    ['Thu, 01 Jan 2026 12:00:00 GMT', 900_000],
    ['Wed, 31 Dec 2025 23:00:00 GMT', 0],
    ['-3', undefined],
    ['1.5', undefined],
    ['1e3', undefined],
    ['soon', undefined],
    ['2026-01-01', undefined],
    ['Thu, 99 Foo 2026 00:00:10 GMT', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%j is %s ms', (value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected)
  })
})
