import { readFileSync } from 'node:fs'
import { ACCOUNTS } from '../../../src/emulator/http/sessions.ts'
import { attackerAddress, flood, keepOpen, open, pause } from '../clients.ts'
import { type RequestOptions, request } from '../requests.ts'
import { type Findings, OTHER, type Row, STEADY, type Target } from '../row.ts'
import { LIMITS } from '../verdict.ts'

const PARALLEL = 32
const ADDRESSES = 2000
const TIMEOUT_MS = 10_000
const FLOOD_TIMEOUT_MS = 2000
const PROVIDERS = 'vdc/admin/authnproviders'
const TOKEN = 'X-SDS-AUTH-TOKEN'

/** An administrator at the other system: lists and deletes a provider that does not exist, twice per second. */
async function legitimate({ adminUrl }: Target, signal: AbortSignal) {
  const base = `${adminUrl}/systems/${STEADY}/${PROVIDERS}`
  const headers = { [TOKEN]: ACCOUNTS.security.token }
  const id = 'urn:storageos:AuthnProvider:00000000-0000-0000-0000-000000000000:'
  const result = { longestMs: 0, problems: [] as string[] }
  const expect = async (url: string, method: string, expected: number) => {
    const began = performance.now()
    const status = await request(url, { method, headers, timeoutMs: TIMEOUT_MS }).then(
      (received) => String(received.status),
      (failure: Error) => failure.message,
    )
    result.longestMs = Math.max(result.longestMs, performance.now() - began)
    if (status !== String(expected)) result.problems.push(`${method} of an administrator: ${status}`)
  }
  while (!signal.aborted) {
    await expect(`${base}.json`, 'GET', 200)
    await expect(`${base}/${id}`, 'DELETE', 404)
    await pause(500, signal)
  }
  return result
}

/** Runs an attack while an administrator works. */
async function withAdministrator(
  target: Target,
  signal: AbortSignal,
  attack: () => Promise<unknown>,
): Promise<Findings> {
  const [{ longestMs, problems }] = await Promise.all([legitimate(target, signal), attack()])
  const [first] = problems
  const audit = target.auditFile === undefined ? '' : readFileSync(target.auditFile, 'utf8')
  const lines = audit.split('\n').length - 1
  return {
    note: `administrator at most ${Math.round(longestMs)} ms, ${lines.toLocaleString('en')} audit lines`,
    problems: [
      ...(first === undefined ? [] : [`${problems.length} requests of an administrator failed (${first})`]),
      ...(longestMs <= LIMITS.scrapeMs ? [] : [`an administrator waited ${Math.round(longestMs)} ms`]),
      ...(audit.length < LIMITS.logBytes ? [] : [`${audit.length} bytes of audit`]),
    ],
  }
}

/** Alternates lists and deletions at the system, from many addresses. */
function requests(
  target: Target,
  signal: AbortSignal,
  parallel: number,
  headers: (run: number) => NonNullable<RequestOptions['headers']>,
) {
  return flood(parallel, signal, (run) => {
    const isList = run % 2 === 0
    const url = `${target.adminUrl}/systems/${OTHER}/${PROVIDERS}${isList ? '' : `/urn:provider:${run}`}`
    const from = attackerAddress(run % ADDRESSES)
    const method = isList ? 'GET' : 'DELETE'
    return request(url, { method, headers: headers(run), from, timeoutMs: FLOOD_TIMEOUT_MS })
  })
}

/** Announces a body and sends one byte per second. */
function slowLogin({ adminUrl }: Target, index: number) {
  const socket = open(adminUrl, attackerAddress(index)).resume()
  const { host } = new URL(adminUrl)
  socket.write(`POST /systems/${STEADY}/login HTTP/1.1\r\nHost: ${host}\r\n`)
  socket.write('Content-Type: application/json\r\nContent-Length: 4000\r\n\r\n')
  const timer = setInterval(() => socket.write(' '), 1000)
  return socket.once('close', () => clearInterval(timer))
}

const HANGING = 200
const SLOW_LOGINS = 400
const floodSent = `lists and deletions, ${PARALLEL} at a time, from ${ADDRESSES.toLocaleString('en')} addresses`

export const ADMINISTRATION: readonly Row[] = [
  {
    name: 'admin-no-token',
    sent: `${floodSent}, without a token`,
    attack: (target, signal) =>
      withAdministrator(target, signal, () => requests(target, signal, PARALLEL, () => ({}))),
  },
  {
    name: 'admin-wrong-tokens',
    sent: `${floodSent}, with wrong tokens`,
    attack: (target, signal) =>
      withAdministrator(target, signal, () =>
        requests(target, signal, PARALLEL, (run) => ({ [TOKEN]: `guess-${run}` })),
      ),
  },
  {
    name: 'admin-hanging',
    sent: `${HANGING} lists and deletions at a time at a system that does not answer deletions`,
    setup: { hostile: true },
    attack(target, signal) {
      target.hostile().use({ deletion: () => undefined })
      return withAdministrator(target, signal, () =>
        requests(target, signal, HANGING, (run) => ({ [TOKEN]: `token-${run}` })),
      )
    },
  },
  {
    name: 'admin-slow-bodies',
    sent: `${SLOW_LOGINS} logins whose bodies arrive at one byte per second`,
    attack: (target, signal) =>
      withAdministrator(target, signal, () =>
        keepOpen(SLOW_LOGINS, signal, (index) => slowLogin(target, index)),
      ),
  },
]
