/** A program with the paths of the exporter that blocks or ends on request. Started by attack.test.ts. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

process.on('SIGTERM', () => process.exit(0))
const BLOCKED_MS = 2000
const counts = { ok: 0, timeout: 0 }

const server = createServer((request, response) => {
  if (request.url === '/end') process.exit(3)
  if (request.url === '/block') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCKED_MS)
  if (request.url === '/fail') counts.timeout += 1
  counts.ok += 1
  const samples = [
    `sds_pool_polls_total{system="steady",pool="sp1",pool="sp1",pool="sp1",pool_id="p",result="ok"} ${counts.ok}`,
    `sds_pool_polls_total{system="steady",pool_id="p",result="timeout"} ${counts.timeout}`,
    `sds_pool_polls_total{system="other",pool_id="p",result="timeout"} ${counts.ok}`,
  ]
  response.end(`${samples.join('\n')}\n`)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening url=http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
