import { expect, test } from 'vitest'
import { acceptsGzip, chooseFormat } from '../../../src/server/metrics/send_exposition.ts'
import { SCRAPERS } from '../../scrapers/headers.ts'

test.each(SCRAPERS)('$name gets its format', ({ accept, gets = 'openmetrics' }) => {
  expect(chooseFormat(accept)).toBe(gets)
})

test.each([
  [undefined, 'text'],
  ['', 'text'],
  ['*/*', 'text'],
  ['text/html,application/xhtml+xml,*/*;q=0.8', 'text'],
  ['text/plain', 'text'],
  ['application/openmetrics-text; version="1.0.0"; charset=utf-8', 'openmetrics'],
  ['text/plain;q=0, */*', 'openmetrics'],
  ['application/openmetrics-text', 'openmetrics'],
  ['application/openmetrics-text; version=1.0.0; q=0.5, text/plain;q=0.5', 'openmetrics'],
  ['application/openmetrics-text;version=1.0.0;q=0.2,text/plain;q=0.5', 'text'],
  ['application/openmetrics-text;version=0.0.1', 'text'],
  ['application/openmetrics-text;q=0', 'text'],
  ['application/openmetrics-text;q=x', 'text'],
  ['text/plain;version=0.0.4;q=0.5,*/*;q=0.1', 'text'],
  [';;;,,,', 'text'],
])('Accept %s gets %s', (accept, format) => {
  expect(chooseFormat(accept)).toBe(format)
})

test.each([
  [undefined, false],
  ['gzip', true],
  ['GZIP', true],
  ['deflate, gzip;q=0.5', true],
  ['gzip;q=0', false],
  ['*', true],
  ['*;q=0', false],
  ['identity', false],
  ['gzip;q=0, *', false],
])('Accept-Encoding %s takes gzip: %s', (encoding, takes) => {
  expect(acceptsGzip(encoding)).toBe(takes)
})
