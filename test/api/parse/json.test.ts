import { describe, expect, test } from 'vitest'
import type { Reason } from '../../../src/api/errors/reasons.ts'
import { isObject, member, parseJson, readText } from '../../../src/api/parse/json.ts'

describe('parseJson', () => {
  test.each<[string, Reason]>([
    ['', 'syntax'],
    [' \n', 'syntax'],
    ['{"a":', 'syntax'],
    ['{"a": NaN}', 'syntax'],
    ['{"a": Infinity}', 'syntax'],
    ['{"a": 0x1F}', 'syntax'],
    ['Service unavailable', 'syntax'],
    ['<!DOCTYPE html><html></html>', 'html'],
    ['\n <HTML>', 'html'],
    ['<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml">', 'html'],
    ['<?xml version="1.0"?><nodes/>', 'html'],
    ['<error><code>1</code></error>', 'html'],
  ])('%j is refused as %s', (text, reason) => {
    expect(() => parseJson(text)).toThrowError(expect.objectContaining({ reason }))
  })

  test('does not quote the body', () => {
    const message = expect.not.stringContaining('SECRET')
    expect(() => parseJson('{"token": "BAAc-SECRET')).toThrowError(expect.objectContaining({ message }))
  })

  test('accepts deep nesting', () => {
    const depth = 100_000
    expect(parseJson(`${'['.repeat(depth)}${']'.repeat(depth)}`)).toBeInstanceOf(Array)
  })
})

describe('readText', () => {
  test.each<[unknown, string | undefined]>([
    ['Good', 'Good'],
    [' Good ', 'Good'],
    [1, '1'],
    ['', undefined],
    ['  ', undefined],
    [null, undefined],
    [undefined, undefined],
    [true, undefined],
    [['Good'], undefined],
    [{}, undefined],
    ['half \ud800', 'half \ufffd'],
  ])('%j is %j', (value, expected) => {
    expect(readText(value)).toBe(expected)
  })
})

describe('objects', () => {
  test('member returns only own members', () => {
    const object: unknown = JSON.parse('{"__proto__": {"id": "x"}, "constructor": 7}')
    if (!isObject(object)) throw new Error('not an object')
    expect(member(object, 'id')).toBeUndefined()
    expect(member(object, 'toString')).toBeUndefined()
    expect(member(object, '__proto__')).toEqual({ id: 'x' })
    expect(member(object, 'constructor')).toBe(7)
  })

  test.each([[null], [[]], ['text'], [7], [undefined]])('%j is not an object', (value) => {
    expect(isObject(value)).toBe(false)
  })
})
