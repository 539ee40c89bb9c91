import { expect, test } from 'vitest'
import { queryRefusalOf } from '../../../../src/api/query/answers/refusals.ts'
import { decodeVersions, hasRangeDefect } from '../../../../src/api/query/requests/version.ts'
import { responseOf } from '../../http/responses.ts'

const management = (code: number, retryable: boolean, description = 'words') =>
  JSON.stringify({ code, description, retryable })
const NO_RIGHTS = 'Insufficient permissions'
const service = (error: string) => JSON.stringify({ error })

test.each([
  [
    'a missing role',
    500,
    management(6401, false, NO_RIGHTS),
    'forbidden',
    /lacks the role.*: Insufficient permissions$/,
  ],
  ['no service', 503, management(6503, true), 'not_found', /does not run.*Community Edition/],
  ['no path', 404, '', 'not_found', /no such path/],
  ['no method', 405, '', 'not_found', /no such path/],
  ['not implemented', 501, '', 'not_found', /no such path/],
  ['a query', 500, service('failed to compile query: x'), 'client_error', /: failed to compile query: x$/],
  ['an operation', 500, service("operation 'mean' is not allowed"), 'client_error', /'mean' is not allowed$/],
  ['tables', 500, service('operation merges tables with different schemas'), 'client_error', /merges/],
  ['a media type', 406, service('unsupported response media type'), 'client_error', /media type/],
  ['a timeout of the service', 500, service('query timeout'), 'server_error', /query timeout$/],
  ['an error', 500, service('internal error'), 'server_error', /^the query failed .*internal error$/],
  ['a service that restarts', 503, service('not ready'), 'unavailable', /not ready$/],
  ['too many requests', 429, service('slow down'), 'throttled', /slow down$/],
])('%s is not repeated', (_, status, body, reason, message) => {
  const refusal = queryRefusalOf(responseOf(status, body))
  expect(refusal).toMatchObject({ reason, status, body: { retryable: false } })
  expect(refusal?.message).toMatch(message)
  // The table of reasons has the remedy, and pages show it after the message.
  expect(refusal?.message).not.toMatch(/performance\.source/)
})

test.each([400, 404, 422])('the error of an old service is in a header: %d', (status) => {
  const refusal = queryRefusalOf(responseOf(status, '', { 'X-Influx-Error': 'bad query' }))
  expect(refusal).toMatchObject({ reason: 'client_error' })
  expect(refusal?.message).toMatch(/bad query/)
})

test.each([
  [200, '', undefined],
  [401, service('token'), 'auth'],
  [502, '', 'unavailable'],
  [503, management(7000, true), 'unavailable'],
  [500, '', 'server_error'],
  [429, '', 'throttled'],
])('%d %s is judged as of other requests: %s', (status, body, reason) => {
  expect(queryRefusalOf(responseOf(status, body))?.reason).toBe(reason)
})

test.each([
  [['3.7.0.1.1234'], true],
  [['3.8.0.3.1'], true],
  [['3.8.1.4.140200'], false],
  [['3.6.2.0'], false],
  [['4.3.0.0.142978'], false],
  [['3.70.1'], false],
  [['3.8.1.4', '3.7.0.0'], true],
  [[], false],
])('versions %s have the range defect: %s', (versions, expected) => {
  const node = versions.map((version) => ({ version }))
  expect(decodeVersions({ node })).toEqual(versions)
  expect(hasRangeDefect(versions)).toBe(expected)
})

test.each([[null], [{}], [{ node: 'x' }], [{ node: [{}, 1] }]])('%j has no versions', (body) => {
  expect(decodeVersions(body)).toEqual([])
})
