import { expect, test } from 'vitest'
import { hostsOf, parseListenAddress, urlHost } from '../../src/values/listen_address.ts'

test('the hosts of listen addresses are those that they name', () => {
  expect(hostsOf([':9438', '127.0.0.1:9438', '[::1]:0'])).toEqual(['127.0.0.1', '::1'])
})

test.each([
  ['::', 'localhost'],
  ['0.0.0.0', '127.0.0.1'],
  ['::1', '[::1]'],
  ['10.0.0.1', '10.0.0.1'],
  ['storage.example.com', 'storage.example.com'],
])('the host %s is %s in a URL for this machine', (host, expected) => {
  expect(urlHost(host)).toBe(expected)
})

test('the highest port is 65535', () => {
  expect(parseListenAddress(':65535')).toEqual({ port: 65_535 })
  expect(() => parseListenAddress(':65536')).toThrow('the port must be a number from 0 to 65535')
})
