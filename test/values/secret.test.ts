import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { passwordFromText, Secret, tokenFromText } from '../../src/values/secret.ts'

const revealed = (secret: Secret | string) =>
  secret instanceof Secret ? secret.reveal() : { problem: secret }

describe('a password', () => {
  test.each([
    ['a byte order mark before it', '\uFEFFpass', 'pass'],
    ['a byte order mark in it', 'pa\uFEFFss', 'pa\uFEFFss'],
    ['a line end after it', 'pass\n', 'pass'],
    ['a line end of Windows after it', 'pass\r\n', 'pass'],
    ['blanks around it', ' pass ', ' pass '],
  ])('with %s', (_, text, expected) => {
    expect(revealed(passwordFromText(text))).toBe(expected)
  })

  test.each([
    ['nothing', '', 'is empty'],
    ['a line end', '\n', 'is empty'],
    ['two line ends', 'pass\n\n', 'has more than one line'],
    ['a line end before it', '\npass', 'has more than one line'],
    ['a carriage return in it', 'pa\rss', 'has more than one line'],
  ])('with %s is refused', (_, text, problem) => {
    expect(revealed(passwordFromText(text))).toEqual({ problem })
  })
})

describe('a token', () => {
  test.each([
    ['a byte order mark and blanks', '\uFEFF \ttoken\r\n', 'token'],
    ['the most characters', 'x'.repeat(8192), 'x'.repeat(8192)],
    ['the first and the last visible character', '!~', '!~'],
  ])('with %s', (_, text, expected) => {
    expect(revealed(tokenFromText(text))).toBe(expected)
  })

  const characters = 'contains spaces, line breaks or characters that are not allowed in an HTTP header'
  test.each([
    ['only blanks', ' \n', 'is empty'],
    ['too many characters', 'x'.repeat(8193), 'is longer than 8192 characters'],
    ['a blank in it', 'to ken', characters],
    ['a line break in it', 'to\nken', characters],
    ['a control character in it', 'to\u007fken', characters],
    ['a character that is not ASCII', 'tokén', characters],
  ])('with %s is refused', (_, text, problem) => {
    expect(revealed(tokenFromText(text))).toEqual({ problem })
  })
})

test('secrets are equal if their values are', () => {
  expect(new Secret('a').equals(new Secret('a'))).toBe(true)
  expect(new Secret('a').equals(new Secret('b'))).toBe(false)
})

test('a secret is printed as a placeholder', () => {
  const secret = new Secret('canary')
  const printed = [
    `${secret}`,
    JSON.stringify({ secret }),
    inspect({ secret }, { showHidden: true, depth: 9 }),
  ]
  for (const text of printed) expect(text).toMatch(/^(?!.*canary).*<secret>/s)
  expect(Object.keys(secret)).toEqual([])
})
