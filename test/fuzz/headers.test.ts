import fc from 'fast-check'
import { expect } from 'vitest'
import { parseRetryAfter, refusalOf } from '../../src/api/http/refusals.ts'
import { clockSkewSeconds } from '../../src/api/http/transport.ts'
import { sameOriginPath } from '../../src/api/resources/pool_list.ts'
import { responseOf } from '../api/http/responses.ts'
import { mutatedJson, mutatedText } from './support/arbitraries.ts'
import { fuzz, readCorpus } from './support/fuzz.ts'

const NOW_MS = Date.UTC(2026, 0, 1)
const LONGEST_PAUSE_MS = 15 * 60_000
const DATES = [
  '30',
  '0',
  'Thu, 01 Jan 2026 00:00:10 GMT',
  'Thu, 01 Jan 2026 00:00:10 +0100',
  '2026-01-01T00:00:00Z',
]
const DATE_PIECES = ['9', '-', ':', ' ', 'GMT', 'Feb', '31', '275761', ',', '99', '+', '0x1', '(']

fuzz('Retry-After and Date', {
  corpus: 'dates',
  input: mutatedText(DATES, DATE_PIECES),
  runs: 50,
  check: (text) => {
    const pause = parseRetryAfter(text, NOW_MS)
    if (pause !== undefined) expect(pause >= 0 && pause <= LONGEST_PAUSE_MS).toBe(true)
    const skew = clockSkewSeconds({ ...responseOf(200, '', { date: text }), respondedAtMs: NOW_MS })
    if (skew !== undefined) expect(Number.isSafeInteger(skew)).toBe(true)
  },
})

const LOCATIONS = [
  '/login?service=%2Fdashboard',
  'https://sso.example.net/signin;jsessionid=1?back=x',
  '/dashboard/storagepools/a/nodes',
  'https://host:4443/dashboard/storagepools/a/nodes.json ',
]
const LOCATION_PIECES = ['/', '//', '\\', ':', '?', '#', ';', '%', '..', '/login', 'http://', '[', '@', '\t']

fuzz('links and redirects', {
  corpus: 'locations',
  input: mutatedText(LOCATIONS, LOCATION_PIECES),
  runs: 50,
  check: (text) => {
    expect(refusalOf(responseOf(302, '', { location: text }))?.reason).toMatch(/^(auth|redirect)$/)
    const path = sameOriginPath(text, 'https://host:4443/api')
    if (path !== undefined) expect(path).toMatch(/^\//)
  },
})

const ERROR_XML =
  '<?xml version="1.0"?><error><code>6401</code><description>no &amp; never</description><details>d</details><retryable>false</retryable></error>'
const ERROR_JSON = '{"code":6401,"description":"no","details":"d","retryable":false}'
const PAGE = '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head></html>'
const PIECES = [...'<error> <code> </code> <title> </title> &#65; & ; < > { " <details>'.split(' ')]

fuzz('error bodies', {
  corpus: 'error_bodies',
  input: fc
    .tuple(
      fc.constantFrom(204, 400, 401, 404, 429, 500, 503),
      fc.oneof(
        mutatedText([ERROR_XML, ERROR_JSON, PAGE, ...readCorpus('error_bodies')], PIECES),
        mutatedJson([ERROR_JSON]),
      ),
    )
    .map(([status, body]) => `${status}\n${body}`),
  runs: 50,
  check: (text) => {
    const [status = '', ...lines] = text.split('\n')
    const refusal = refusalOf(responseOf(Number(status), lines.join('\n')))
    expect(refusal?.message).toMatch(/^[^\r\n]{10,600}$/)
  },
})
