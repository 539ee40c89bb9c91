import { describe, expect, test } from 'vitest'
import { idSegment } from '../../../src/api/errors/errors.ts'
import { forecastQuery } from '../../../src/api/feed/feed.ts'

describe('idSegment', () => {
  test.each([
    ['urn:storageos:VirtualArray:b17d28fa-7fc3-465e-9f43-281e72a349eb'],
    ['urn:x:AuthnProvider:1:'],
    ['10.4.0.101'],
    ['a_b~c'],
  ])('%s is unchanged', (id) => {
    expect(idSegment(id)).toBe(id)
  })

  test.each([
    ['pool+1', 'pool%2B1'],
    ['pööl', 'p%C3%B6%C3%B6l'],
    ['a;b=c', 'a%3Bb%3Dc'],
    ['<script>', '%3Cscript%3E'],
    ['a@b', 'a%40b'],
  ])('%s becomes %s', (id, segment) => {
    expect(idSegment(id)).toBe(segment)
  })

  test.each([
    [''],
    ['.'],
    ['..'],
    ['...'],
    ['a/b'],
    ['../x'],
    ['a\\b'],
    ['a?b'],
    ['a#b'],
    ['%2e%2e'],
    ['a b'],
    ['a\nb'],
    ['a\u0000'],
    ['\ud800'],
    ['x'.repeat(257)],
  ])('%j is refused', (id) => {
    expect(() => idSegment(id)).toThrowError(expect.objectContaining({ reason: 'local' }))
  })
})

test('the query of forecasts, with and without braces', () => {
  const forecast = { timeFrame: '4w', targets: [80, 90], braces: true }
  expect(forecastQuery(forecast)).toBe(
    'category=capacityForecast&cfTimeFrame=%7B4w%7D&cfTarget=%7B80%3B90%7D',
  )
  expect(forecastQuery({ ...forecast, braces: false })).toBe(
    'category=capacityForecast&cfTimeFrame=4w&cfTarget=80%3B90',
  )
})
