import type { IncomingMessage } from 'node:http'
import { refused } from './errors.ts'

/** The documented requests have no body; a login is short. */
const MAX_BODY_BYTES = 4096

/**
 * Reads the body of a request, so that none is left on the connection; never more than a few kilobytes of it.
 * @throws {Refused} 413, which ends the connection
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
    request.once('close', () => reject(refused('badRequest', 'The body ended too early')))
  })
}

function tooLarge() {
  return refused('tooLarge', `A request may have ${MAX_BODY_BYTES} bytes`, { Connection: 'close' })
}
