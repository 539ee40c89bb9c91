import { expect, test } from 'vitest'
import { httpUrl } from '../../../src/config/values/urls.ts'

const schema = httpUrl('set auth', ':4443')

test.each([
  ['https://ecs.example.net', 'https://ecs.example.net'],
  ['https://ecs.example.net:443/', 'https://ecs.example.net:443'],
  ['http://ecs.example.net:080/a/', 'http://ecs.example.net:80/a'],
  ['https://ecs.example.net:4443//', 'https://ecs.example.net:4443'],
])('%s is the URL %s: a port that is written stays', (input, url) => {
  expect(schema.parse(input)).toBe(url)
})

test.each([
  ['ecs.example.net', 'not a URL: write https://ecs.example.net:4443'],
  ['ftp://ecs.example.net', 'must begin with https:// or http://'],
  ['https://user:secret@ecs.example.net', 'must not contain a user or password: set auth'],
  ['https://ecs.example.net?a=b', undefined],
])('%s is refused', (input, message) => {
  const [issue] = schema.safeParse(input).error?.issues ?? []
  expect(issue?.message).toEqual(message ?? expect.any(String))
})
