import { open, pause } from '../clients.ts'
import type { Findings, Row } from '../row.ts'
import { malformedRequests } from './malformed_requests.ts'
import { ODD_PATHS } from './odd_paths.ts'

/** Time without an answer after which a request counts as refused. */
const SILENCE_MS = 1000
const PARALLEL = 20
/** Switching protocols, success and redirect; and errors of the exporter itself. */
const WRONG = /^(101|[23]..|500)$/
/** An announcement, and the end of a connection with invalid data: neither answers a request. */
const NO_ANSWER = ['100', '400']

/** Sends the bytes on a connection and returns the status codes of all answers; empty if there was none. */
async function statusesOf(url: string, bytes: string): Promise<string[]> {
  const socket = open(url)
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk
  })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(bytes, 'latin1')
  await Promise.race([closed, pause(SILENCE_MS)])
  socket.destroy()
  return [...text.matchAll(/^HTTP\/1\.[01] (\d{3})/gm)].map(([, status = '']) => status)
}

/** Sends the requests, by name, without credentials. None may succeed, and none may be taken for two. */
async function refuseAll(url: string, cases: readonly (readonly [string, string])[]): Promise<Findings> {
  const problems: string[] = []
  const left = [...cases]
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [name, bytes] = next
      const statuses = await statusesOf(url, bytes)
      const answers = statuses.filter((status) => !NO_ANSWER.includes(status))
      if (answers.length > 1 || answers.some((status) => WRONG.test(status)))
        problems.push(`${name}: ${statuses.join(', ')}`)
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, work))
  return { problems, note: `${cases.length} requests` }
}

function odd(url: string): [string, string][] {
  const { host } = new URL(url)
  return ODD_PATHS.map((path) => [
    JSON.stringify(path),
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
  ])
}

/** The path of the metrics without credentials, and one of the administration without a token. */
export const MALFORMED: readonly Row[] = [
  {
    name: 'malformed',
    sent: 'malformed requests of `/metrics` without credentials, each on a new connection',
    setup: { web: 'users' },
    attack: ({ url }) => refuseAll(url, malformedRequests(url, '/metrics')),
  },
  {
    name: 'malformed-admin',
    sent: 'the same to the administration, without a token',
    attack: ({ adminUrl }) => refuseAll(adminUrl, malformedRequests(adminUrl, '/vdc/admin/authnproviders')),
  },
  {
    name: 'odd-paths',
    sent: `${ODD_PATHS.length} other spellings of the paths, without credentials`,
    setup: { web: 'users' },
    attack: ({ url }) => refuseAll(url, odd(url)),
  },
]
