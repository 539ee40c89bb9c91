import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { whenIdle } from '../../../slices.ts'

/** After this time a request is served although other tasks are due. */
const MAX_WAIT_MS = 100

interface Waiting {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly deadlineMs: number
}

/**
 * Serves requests in the order of their arrival, one in each turn of the event loop. While other tasks are due, such as
 * connections to accept, requests wait, but at most 100 ms. Urgent requests are served at once: health is answered
 * although hundreds of other requests arrived before. Requests whose connection was closed are not served.
 */
export function createRequestQueue(
  serve: RequestListener,
  isUrgent: (request: IncomingMessage) => boolean,
): RequestListener {
  const queue: Waiting[] = []
  const serveAll = async () => {
    for (let next = queue[0]; next !== undefined; next = queue[0]) {
      await whenIdle(next.deadlineMs)
      if (!next.response.destroyed) serve(next.request, next.response)
      queue.shift()
    }
  }
  return (request, response) => {
    if (isUrgent(request)) return serve(request, response)
    const length = queue.push({ request, response, deadlineMs: performance.now() + MAX_WAIT_MS })
    if (length === 1) void serveAll()
  }
}
