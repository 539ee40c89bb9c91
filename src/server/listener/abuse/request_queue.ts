import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Serves requests in the order of their arrival, one in each turn of the event loop. Urgent requests are served at once:
 * health is answered although thousands of other requests arrived before. Without the queue, pipelined requests
 * (`npm run attack`) delayed it by up to 2.8 s. Requests whose connection was closed are not served.
 */
export function createRequestQueue(
  serve: RequestListener,
  isUrgent: (request: IncomingMessage) => boolean,
): RequestListener {
  const queue: (readonly [IncomingMessage, ServerResponse])[] = []
  const serveAll = async () => {
    for (let next = queue[0]; next !== undefined; next = queue[0]) {
      await nextTurn()
      const [request, response] = next
      if (!response.destroyed) serve(request, response)
      queue.shift()
    }
  }
  return (request, response) => {
    if (isUrgent(request)) return serve(request, response)
    if (queue.push([request, response]) === 1) void serveAll()
  }
}
