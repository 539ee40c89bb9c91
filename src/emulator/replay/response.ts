import type { RecordedExchange } from '../../recording/format.ts'
import type { AuthorizedRequest, RouteResponse } from '../http/routes.ts'

/** Media type and text of a body, by its format. */
const BODIES = {
  json: ['application/json', JSON.stringify],
  xml: ['application/xml', String],
  html: ['text/html', () => '<!DOCTYPE html><html></html>'],
  text: ['text/plain', () => 'text that was not recorded'],
  empty: ['text/plain', () => ''],
} as const satisfies Record<string, readonly [mediaType: string, textOf: (body: unknown) => string]>

/** The recorded answer, with another body: that with its times moved. */
export function responseOf(
  { status, headers = {}, format = 'empty', failure }: RecordedExchange,
  { context }: Pick<AuthorizedRequest, 'context'>,
  body: unknown,
): RouteResponse {
  // There was no whole answer: the connection breaks.
  if (failure !== undefined) context.req.socket.destroy()
  const [mediaType, textOf] = BODIES[format]
  return { status: status ?? 500, headers, body: { text: [textOf(body)], long: false, mediaType } }
}
