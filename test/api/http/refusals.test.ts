import { describe, expect, test } from 'vitest'
import type { Reason } from '../../../src/api/errors/reasons.ts'
import type { RefusedRequest } from '../../../src/api/errors/refusal_table.ts'
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
    [400, 'missing role, in older versions', JSON_BODY(1026), 'forbidden'],
    [404, 'unknown entity', JSON_BODY(2000), 'not_found'],
    [404, 'no body', '', 'not_found'],
    [400, 'parameter cannot be found', JSON_BODY(1004), 'client_error'],
    [405, 'wrong method', JSON_BODY(1007), 'not_found'],
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

  test.each([
    ['a\nb', 'a b'],
    ['word '.repeat(100).trim(), 'word '.repeat(100).trim()],
    ['word '.repeat(101), `${'word '.repeat(100)}…`],
    [`${'wörter '.repeat(80)}`, `${'wörter '.repeat(71)}…`],
    ['x'.repeat(4000), `${'x'.repeat(500)} …`],
  ])('quotes the error of the system in one line, cut after a word: %.20j', (description, quote) => {
    const refusal = refusalOf(responseOf(503, JSON.stringify({ code: 6000, description })))
    expect(refusal?.message).toMatch(/\(HTTP 503, code 6000\); it says: /)
    expect(refusal?.message.split('; it says: ')[1]).toBe(quote)
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

const says = (code: number, details: string, description = 'Words of the code') =>
  JSON.stringify({ code, description, details, retryable: false })
const NGINX =
  '<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head><body></body></html>'
const FAILED = { status: 'error', messageKey: 'failed', msgDetails: 'Error 10001' }
const PORTAL = JSON.stringify({ ...FAILED, isSuccess: false, isError: true })
const MAPPED = `The provider could not be deleted because ${'of tenants '.repeat(20)}were found: urn:tenant:1`

/** What the system says, and what the message and the remedy must and must not have. */
interface Meant {
  readonly of?: RefusedRequest
  readonly reason: Reason
  readonly text: RegExp
  readonly remedy: RegExp
  readonly notRemedy?: RegExp
}

describe('the words of a refusal decide, not only its status and code', () => {
  const meant = (reason: Reason, text: RegExp, remedy: RegExp, notRemedy?: RegExp): Meant => {
    return { reason, text, remedy, ...(notRemedy && { notRemedy }) }
  }
  const role = meant('forbidden', /lacks the role/, /SYSTEM_MONITOR.*server names/)
  const license = meant('forbidden', /license/, /license/, /assign|SYSTEM_MONITOR/)
  const ofDeletion = { of: 'deletion' } as const
  const inUse = { ...ofDeletion, ...meant('client_error', /still in use/, /^remove the mappings/) }
  const gone = meant('not_found', /no provider with this id/, /already deleted/, /pool|base_url/)
  const deleted = { ...ofDeletion, ...gone }
  const forbidden = meant(
    'forbidden',
    /./,
    /^use an account that may delete/,
    /SYSTEM_MONITOR|SECURITY_ADMIN/,
  )
  const mayNotDelete = { ...ofDeletion, ...forbidden }
  const token = meant('auth', /token/, /token/, /SYSTEM_MONITOR/)
  const plain = meant('tls', /speaks TLS/, /^write https:/)
  const portal = meant('schema', /web portal.*Error 10001/, /4443/)
  test.each<[what: string, status: number, body: string, Meant]>([
    ['a license check', 403, says(3001, 'UNSTRUCTURED license is not found'), license],
    ['a license check without words', 403, says(3002, ''), license],
    ['a missing role', 403, says(3000, 'Insufficient permissions for user monitor.'), role],
    ['a missing role by its code', 403, says(3000, ''), role],
    ['a missing role, with 500', 500, says(6401, '', 'Insufficient permissions'), role],
    ['a missing role, with 500 in XML', 500, XML_BODY(6401).replace('A ', 'Insufficient permissions '), role],
    ['the page of a proxy for 401', 500, says(6401, '', 'Internal Server Error'), token],
    ['a code as a string', 500, JSON_BODY('6401'), token],
    [
      'a 403 without words',
      403,
      '',
      { reason: 'forbidden', text: /forbids/, remedy: /SYSTEM_MONITOR.*server names/ },
    ],
    ['a mapped provider', 400, says(1013, MAPPED), { ...inUse, text: /still in use.*urn:tenant:1$/ }],
    ['a provider in use', 400, says(1025, ''), inUse],
    [
      'a malformed id',
      400,
      says(1013, 'Parameter id is not a valid URI'),
      { of: 'deletion', reason: 'client_error', text: /not a valid URI/, remedy: /^correct the id/ },
    ],
    ['a deleted provider', 404, says(2000, 'Unable to find entity'), deleted],
    ['a deleted provider, with 400', 400, says(1004, ''), deleted],
    ['no role to delete', 403, says(3000, 'Insufficient permissions for user a.'), mayNotDelete],
    ['no role to delete, with 500', 500, says(6401, 'Insufficient permissions'), mayNotDelete],
    ['no access to delete', 403, '', mayNotDelete],
    ['no license to delete', 403, says(3001, 'license'), { ...license, of: 'deletion' }],
    ['plain HTTP, of nginx', 400, NGINX, plain],
    ['plain HTTP, with 497', 497, '', plain],
    ['plain HTTP, by its code', 400, says(6497, ''), plain],
    ['the web portal', 401, PORTAL, portal],
    ['the web portal, at a login', 500, PORTAL, { ...portal, of: 'login' }],
  ])('%s (%i)', (_what, status, body, { of, reason, text, remedy, notRemedy }) => {
    const refusal = refusalOf(responseOf(status, body), of)
    expect(refusal).toMatchObject({ reason, remedy: expect.stringMatching(remedy) })
    expect(refusal?.message).toMatch(text)
    if (notRemedy !== undefined) expect(`${refusal?.remedy}`).not.toMatch(notRemedy)
  })

  test.each<[baseUrl: string, named: boolean]>([
    ['https://ecs.example.net', true],
    ['https://ecs.example.net:443/api', true],
    ['https://ecs.example.net:4443', false],
    ['http://ecs.example.net:443', false],
  ])('at the port of the web portal, the remedy names the port of the API: %s', (baseUrl, named) => {
    for (const [status, location] of [
      [401, ''],
      [404, ''],
      [302, '/login'],
      [302, '/ui'],
    ] as const) {
      const headers = location === '' ? {} : { Location: location }
      const remedy = refusalOf(responseOf(status, '', headers, baseUrl))?.remedy
      expect(remedy?.includes('4443')).toBe(named)
    }
    expect(refusalOf(responseOf(503, '', {}, baseUrl))?.remedy).not.toContain('4443')
  })
})

const bodyOf = (text: string) => readErrorBody(responseOf(400, text))

describe('readErrorBody', () => {
  test('decodes the entities of XML, and reads no document that declares others', () => {
    expect(bodyOf(XML_BODY(1))?.description).toBe('A <thing> & more')
    const entity = '<!DOCTYPE x [<!ENTITY e "boom">]><error><description>&e;</description></error>'
    expect(bodyOf(entity)).toBeUndefined()
    expect(bodyOf('<error><details>&#65;&#x42;</details></error>')?.details).toBe('AB')
  })

  test('redacts description and details after decoding, but not code and retryable', () => {
    const redact = (words: string) => words.replaceAll(/=token=|6401|false/g, '<secret>')
    const body = '{"code":6401,"retryable":false,"description":"of \\u003dtoken\\u003d","details":"6401"}'
    const redacted = { description: 'of <secret>', details: '<secret>' }
    expect(readErrorBody({ text: body, redact })).toEqual({ code: 6401, retryable: false, ...redacted })
  })

  test('is not confused by a member with the name of the root of XML', () => {
    expect(bodyOf('{"error":"Forbidden","code":3000,"description":"d"}')).toMatchObject({
      code: 3000,
      description: 'd',
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
  const title = '400 No required SSL certificate was sent'
  expect(refusalOf(page(title))?.message).toContain(`it says: ${title}`)
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
