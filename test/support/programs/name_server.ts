import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** A name server on loopback that answers for one name, and never for any other. */
export interface NameServer {
  /** The text of a resolv.conf. */
  readonly resolvConf: string
  stop(): Promise<void>
}

const HEADER_BYTES = 12
/** An answer without an error; the flags of a recursive name server. */
const FLAGS = 0x81_80
const TYPE_A = 1
/** A record with the name of the question: type A, class IN, 60 seconds, 127.0.0.1. */
const RECORD = Buffer.from('c00c00010001000000' + '3c00047f000001', 'hex')

/** @param name the name with the address 127.0.0.1 */
export async function startNameServer(name: string): Promise<NameServer> {
  const socket = createSocket('udp4')
  const labels = name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)]))
  const question = Buffer.concat([...labels, Buffer.from([0])])
  socket.on('message', (query, { address, port }) => {
    const end = HEADER_BYTES + question.length
    if (!query.subarray(HEADER_BYTES, end).equals(question)) return
    const answer = Buffer.concat([query.subarray(0, end + 4), RECORD])
    const isA = query.readUInt16BE(end) === TYPE_A
    answer.writeUInt16BE(FLAGS, 2)
    // One question; one answer or none; no other records.
    for (const [index, count] of [1, isA ? 1 : 0, 0, 0].entries()) answer.writeUInt16BE(count, 4 + 2 * index)
    socket.send(isA ? answer : answer.subarray(0, end + 4), port, address)
  })
  // An address of its own, so that other name servers of the machine keep theirs.
  const address = `127.${process.pid & 0xff}.${(process.pid >> 8) & 0xff}.53`
  socket.bind(53, address)
  await once(socket, 'listening')
  return {
    resolvConf: `nameserver ${address}\n`,
    async stop() {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}
