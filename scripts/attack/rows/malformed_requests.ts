/** A request by name. Characters are bytes (Latin-1). */
export type MalformedRequest = readonly [name: string, bytes: string]

/** Requests that no client sends by itself, for a listener and a path that needs credentials. */
export function malformedRequests(url: string, path: string): MalformedRequest[] {
  const host = `Host: ${new URL(url).host}`
  return [...lines(host, path), ...headers(host, path), ...bodies(host, path)]
}

const METHODS = 'get GeT POST PUT PATCH TRACE CONNECT PROPFIND PRI QUERY SEARCH'.split(' ')
const INVALID_METHODS = ['G T', 'GET\0', '', '\x16\x03\x01', 'X'.repeat(100), 'GETGETGET']
const VERSIONS = 'HTTP/0.9 HTTP/1.2 HTTP/2.0 HTTP/3 http/1.1 HTTP/1.1x HTTP/1 HTTP/-1.1 HTTPS/1.1'.split(' ')

function lines(host: string, path: string): MalformedRequest[] {
  const end = `\r\n${host}\r\nConnection: close\r\n\r\n`
  const request = (name: string, line: string): MalformedRequest => [name, line + end]
  return [
    ...targets(host, path).map(([name, target]) => request(name, `GET ${target} HTTP/1.1`)),
    ...[...METHODS, ...INVALID_METHODS].map((method) =>
      request(`method ${JSON.stringify(method)}`, `${method} ${path} HTTP/1.1`),
    ),
    ...VERSIONS.map((version) => request(`version ${version}`, `GET ${path} ${version}`)),
    request('no version', `GET ${path}`),
    request('two blanks', `GET  ${path}  HTTP/1.1`),
    request('tabs', `GET\t${path}\tHTTP/1.1`),
    ['line feeds only', `GET ${path} HTTP/1.1\n${host}\n\n`],
    ['carriage returns only', `GET ${path} HTTP/1.1\r${host}\r\r`],
    ['preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['only a method', 'GET'],
    ['line breaks only', '\r\n'.repeat(1000)],
    ['NUL bytes only', '\0'.repeat(10_000)],
  ]
}

function targets(host: string, path: string): readonly MalformedRequest[] {
  const authority = host.slice('Host: '.length)
  return [
    ['absolute URL', `http://${authority}${path}`],
    ['absolute URL of another host', `http://attacker.example${path}`],
    ['absolute URL with https', `https://${authority}${path}`],
    ['absolute URL with user', `http://user:password@${authority}${path}`],
    ['scheme file', 'file:///etc/passwd'],
    ['scheme without host', `http:${path}`],
    ['authority', authority],
    ['asterisk', '*'],
    ['two slashes', `/${path}`],
    ['backslash', path.replaceAll('/', '\\')],
    ['slash and backslash', `/\\attacker.example${path}`],
    ['no slash', path.slice(1)],
    ['empty target', ''],
    ['tab in the target', `${path}\tx`],
    ['NUL in the target', `${path}\0`],
    ['control character in the target', `${path}\x01`],
    ['DEL in the target', `${path}\x7f`],
    ['high bytes in the target', `${path}\xff\xfe`],
    ['fragment', `${path}#x`],
    ['long target', `${path}?${'x'.repeat(4000)}`],
    ['very long target', `${path}?${'x'.repeat(100_000)}`],
    ['many parameters', `${path}?${'a&'.repeat(1000)}`],
    ['CR in the target', `${path}\rX: y`],
    ['LF in the target', `${path}\nX: y`],
  ]
}

function headers(host: string, path: string): MalformedRequest[] {
  const authorization = (value: string) => `${host}\r\nAuthorization: ${value}`
  const forms: readonly (readonly [string, string])[] = [
    ['no host', 'X: y'],
    ['two hosts', `${host}\r\nHost: attacker.example`],
    ['empty host', 'Host:'],
    ['foreign host', 'Host: attacker.example'],
    ['host with a path', `${host}/x`],
    ['host with NUL', `${host}\0`],
    ['blank before the colon', `${host}\r\nX : y`],
    ['folded header', `${host}\r\nX: y\r\n z`],
    ['first header begins with a blank', ` ${host}`],
    ['no colon', `${host}\r\nX`],
    ['empty name', `${host}\r\n: y`],
    ['NUL in a name', `${host}\r\nX\0: y`],
    ['NUL in a value', `${host}\r\nX: \0`],
    ['CR in a value', `${host}\r\nX: y\rz`],
    ['control characters in a value', `${host}\r\nX: \x01\x02\x03`],
    ['high bytes in a name', `${host}\r\n\xff\xfe: y`],
    ['long header', `${host}\r\nX: ${'y'.repeat(20_000)}`],
    ['very long header', `${host}\r\nX: ${'y'.repeat(1_000_000)}`],
    ['many headers', `${host}${'\r\nX: y'.repeat(2000)}`],
    ['very many headers', `${host}${'\r\nX: y'.repeat(50_000)}`],
    ['two authorizations', `${authorization('Basic eDp5')}\r\nAuthorization: Basic eDp5`],
    ['empty authorization', authorization('')],
    ['authorization without credentials', authorization('Basic')],
    ['authorization with invalid base64', authorization('Basic !!!!')],
    ['authorization without colon', authorization('Basic eA==')],
    ['authorization with NUL', authorization(`Basic ${Buffer.from('a\0:b').toString('base64')}`)],
    ['authorization Bearer', authorization('Bearer x')],
    ['authorization with __proto__', authorization(`Basic ${Buffer.from('__proto__:x').toString('base64')}`)],
    [
      'authorization with a long password',
      authorization(`Basic ${Buffer.alloc(5000, 'a:').toString('base64')}`),
    ],
    ['expectation', `${host}\r\nExpect: 100-continue`],
    ['unknown expectation', `${host}\r\nExpect: 200-ok`],
    [
      'upgrade to HTTP/2',
      `${host}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: x`,
    ],
    ['upgrade to WebSocket', `${host}\r\nConnection: Upgrade\r\nUpgrade: websocket`],
    ['forwarded address', `${host}\r\nX-Forwarded-For: 127.0.0.1\r\nForwarded: for=127.0.0.1`],
    ['other path in a header', `${host}\r\nX-Original-URL: /-/healthy\r\nX-Rewrite-URL: /-/healthy`],
    ['other method in a header', `${host}\r\nX-HTTP-Method-Override: GET`],
    ['range', `${host}\r\nRange: bytes=0-,0-,0-`],
    ['unknown encodings', `${host}\r\nAccept-Encoding: ${'a,'.repeat(1000)}`],
    ['many accepted types', `${host}\r\nAccept: ${'a/b;q=0.1,'.repeat(500)}`],
  ]
  return forms.map(([name, text]) => [name, `GET ${path} HTTP/1.1\r\n${text}\r\nConnection: close\r\n\r\n`])
}

/** Forms in which a proxy and a server may disagree where a request ends: a second request is hidden in the body. */
function bodies(host: string, path: string): MalformedRequest[] {
  const hidden = `GET ${path} HTTP/1.1\r\n${host}\r\nX: `
  const length = `Content-Length: ${hidden.length}`
  const chunked = 'Transfer-Encoding: chunked'
  const forms: readonly (readonly [string, string, string])[] = [
    ['length and chunked', `${length}\r\n${chunked}`, `0\r\n\r\n${hidden}`],
    ['chunked and length', `${chunked}\r\n${length}`, `0\r\n\r\n${hidden}`],
    ['two lengths', `Content-Length: 0\r\n${length}`, hidden],
    ['list of lengths', `Content-Length: 0, ${hidden.length}`, hidden],
    ['signed length', `Content-Length: +${hidden.length}`, hidden],
    ['negative length', 'Content-Length: -1', hidden],
    ['hexadecimal length', 'Content-Length: 0x10', hidden],
    ['huge length', 'Content-Length: 99999999999999999999', hidden],
    ['empty length', 'Content-Length:', hidden],
    ['chunked twice', `${chunked}\r\n${chunked}`, `0\r\n\r\n${hidden}`],
    ['chunked not last', 'Transfer-Encoding: chunked, identity', `0\r\n\r\n${hidden}`],
    ['unknown encoding', 'Transfer-Encoding: xchunked', `0\r\n\r\n${hidden}`],
    ['chunked with a blank', 'Transfer-Encoding : chunked', `0\r\n\r\n${hidden}`],
    ['chunked after a tab', 'Transfer-Encoding:\tchunked, gzip', `0\r\n\r\n${hidden}`],
    ['chunked folded', 'Transfer-Encoding:\r\n chunked', `0\r\n\r\n${hidden}`],
    ['chunk size with a sign', chunked, `+1\r\nx\r\n0\r\n\r\n${hidden}`],
    ['chunk size with 0x', chunked, `0x1\r\nx\r\n0\r\n\r\n${hidden}`],
    ['chunk size too large', chunked, `fffffffffffffffff\r\n${hidden}`],
    ['chunk size empty', chunked, `\r\n${hidden}`],
    ['chunk without line break', chunked, `1\r\nxx0\r\n\r\n${hidden}`],
    ['chunk with line feeds', chunked, `1\nx\n0\n\n${hidden}`],
    ['long chunk extension', chunked, `1;${'x'.repeat(100_000)}\r\nx\r\n0\r\n\r\n`],
    ['long trailer', chunked, `0\r\nX: ${'y'.repeat(100_000)}\r\n\r\n`],
    ['many chunks', chunked, '1\r\nx\r\n'.repeat(10_000)],
  ]
  return forms.map(([name, text, body]) => [
    name,
    `POST ${path} HTTP/1.1\r\n${host}\r\n${text}\r\n\r\n${body}`,
  ])
}
