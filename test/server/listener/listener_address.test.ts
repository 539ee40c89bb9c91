import { describe, expect, test } from 'vitest'
import { explainListenError, ListenError, parseListenAddress } from '../../../src/values/listen_address.ts'

describe('a listen address', () => {
  test.each([
    [':9438', { port: 9438 }],
    ['0.0.0.0:9438', { host: '0.0.0.0', port: 9438 }],
    ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
    ['[::1]:9439', { host: '::1', port: 9439 }],
    ['[fe80::1%eth0]:1', { host: 'fe80::1%eth0', port: 1 }],
    ['localhost:65535', { host: 'localhost', port: 65_535 }],
    ['exporter-1.example.net:80', { host: 'exporter-1.example.net', port: 80 }],
  ])('%s', (text, expected) => expect(parseListenAddress(text)).toEqual(expected))

  test.each([
    ['', 'a colon and a port are missing'],
    ['9438', 'a colon and a port are missing'],
    [':http', 'the port must be a number'],
    [':65536', 'the port must be a number'],
    [': 80', 'the port must be a number'],
    ['::1:9439', 'an IPv6 address needs brackets'],
    ['[::1]', 'an IPv6 address needs brackets'],
    ['[127.0.0.1]:80', "'127.0.0.1' is not an IPv6 address"],
    ['http://localhost:80', 'an address has no scheme'],
    ['1.2.3:80', "'1.2.3' is neither an IP address nor a host name"],
    ['999.1.1.1:80', "'999.1.1.1' is neither an IP address nor a host name"],
    ['a b:80', "'a b' is neither an IP address nor a host name"],
    ['-a:80', "'-a' is neither an IP address nor a host name"],
  ])('%j is refused', (text, reason) => {
    expect(() => parseListenAddress(text)).toThrow(ListenError)
    expect(() => parseListenAddress(text)).toThrow(`listen address '${text}': ${reason}`)
    expect(() => parseListenAddress(text)).toThrow(
      'write :9438, 127.0.0.1:9438, [::1]:9438 or localhost:9438',
    )
  })
})

describe('a failure to listen', () => {
  test.each([
    ['EADDRINUSE', 'the port is in use'],
    ['EACCES', 'choose a port above 1023'],
    ['EADDRNOTAVAIL', 'no interface of this machine has this address'],
    ['ENOTFOUND', 'the name does not resolve'],
    ['EWHATEVER', 'check the address'],
  ])('%s', (code, remedy) => {
    const { message, cause } = explainListenError(':9438', Object.assign(new Error('x'), { code }))
    expect(message).toContain(`cannot listen on ':9438' (${code}): `)
    expect(message).toContain(remedy)
    expect(cause).toBeInstanceOf(Error)
  })
})
