import { ACCOUNTS } from '../../../src/emulator/http/sessions.ts'
import { ATTACKER, attackerAddress, flood, keepOpen, open, pause, request } from '../clients.ts'
import { OTHER, type Row, STEADY, type Target } from '../row.ts'

const PARALLEL = 32
const HANGING = 200
const ADDRESSES = 2000
const ADMINISTRATOR_MS = 5000
/** Shorter than the time in which an attack must end. */
const TIMEOUT_MS = 2000
const PROVIDERS = 'vdc/admin/authnproviders'
const TOKEN = 'X-SDS-AUTH-TOKEN'

/** Runs an attack while an administrator lists the providers of the other system, twice a second. */
async function withAdministrator(
  { adminUrl }: Target,
  signal: AbortSignal,
  attack: () => Promise<unknown>,
): Promise<readonly string[]> {
  const problems = new Set<string>()
  const options = { headers: { [TOKEN]: ACCOUNTS.security.token }, timeoutMs: ADMINISTRATOR_MS }
  const administrate = async () => {
    while (!signal.aborted) {
      const answer = await request(`${adminUrl}/systems/${STEADY}/${PROVIDERS}.json`, options).catch(String)
      if (answer !== 200) problems.add(`a request of an administrator: ${answer}`)
      await pause(500, signal)
    }
  }
  await Promise.all([administrate(), attack()])
  return [...problems]
}

/** Alternates lists and deletions at the system, from many addresses, with wrong tokens. */
function guessTokens({ adminUrl }: Target, signal: AbortSignal, parallel: number) {
  return flood(parallel, signal, (run) => {
    const isList = run % 2 === 0
    return request(`${adminUrl}/systems/${OTHER}/${PROVIDERS}${isList ? '' : `/urn:provider:${run}`}`, {
      method: isList ? 'GET' : 'DELETE',
      headers: { [TOKEN]: `guess-${run}` },
      from: attackerAddress(run % ADDRESSES),
      timeoutMs: TIMEOUT_MS,
    })
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

const SLOW_LOGINS = 400
const SIGNALS = 2000

/** SIGHUP reloads the configuration. */
async function reloadSignals({ pid }: Target, signal: AbortSignal): Promise<undefined> {
  for (let sent = 0; sent < SIGNALS && !signal.aborted; sent += 1) {
    process.kill(pid, 'SIGHUP')
    if (sent % 5 === 0) await pause(10, signal)
  }
  await pause(60_000, signal)
}

async function reloads({ url }: Target, signal: AbortSignal): Promise<undefined> {
  const options = { method: 'POST', from: ATTACKER, timeoutMs: TIMEOUT_MS }
  await flood(PARALLEL, signal, () => request(`${url}/-/reload`, options))
}

/** The administration, and what an operator may do. */
export const ADMINISTRATION: readonly Row[] = [
  {
    name: 'admin-wrong-tokens',
    sent: `lists and deletions with wrong tokens, ${PARALLEL} at a time, from ${ADDRESSES} addresses`,
    attack: (target, signal) =>
      withAdministrator(target, signal, () => guessTokens(target, signal, PARALLEL)),
  },
  {
    name: 'admin-hanging',
    sent: `${HANGING} lists and deletions at a time at a system that does not answer deletions`,
    setup: { hostile: true },
    attack(target, signal) {
      target.hostile().use({ deletion: () => undefined })
      return withAdministrator(target, signal, () => guessTokens(target, signal, HANGING))
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
  { name: 'sighup', sent: `${SIGNALS} × SIGHUP`, attack: reloadSignals },
  { name: 'reloads', sent: `\`POST /-/reload\`, ${PARALLEL} at a time`, attack: reloads },
]
