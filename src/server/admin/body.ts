import type { IncomingMessage } from 'node:http'
import { refused } from './errors.ts'

/** Only the login has a body, and it is short. */
const MAX_BODY_BYTES = 4096

/**
 * Reads the body of a request.
 * @throws {Refused} 413 if it is longer than 4096 bytes; the connection is then closed
 */
export function readRequestBody(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return Promise.reject(tooLarge())
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= MAX_BODY_BYTES) chunks.push(chunk)
      else {
        request.pause()
        reject(tooLarge())
      }
    })
    request.once('end', () => resolve(Buffer.concat(chunks)))
    request.once('error', reject)
    request.once('close', () => reject(refused('badRequest', 'The body is incomplete')))
  })
}

function tooLarge() {
  return refused('tooLarge', `The limit is ${MAX_BODY_BYTES} bytes`, { Connection: 'close' })
}
