import type { RecordedExchange } from '../../recording/format.ts'
import type { AuthorizedRequest, RouteResponse } from '../http/routes.ts'

const MEDIA_TYPES = {
  json: 'application/json',
  xml: 'application/xml',
  html: 'text/html',
  text: 'text/plain',
  empty: 'text/plain',
} as const

/** The recorded answer, with another body: that with its times moved. */
export function responseOf(
  { status, headers = {}, format = 'empty', failure }: RecordedExchange,
  { context }: Pick<AuthorizedRequest, 'context'>,
  body: unknown,
): RouteResponse {
  // There was no whole answer: the connection breaks.
  if (failure !== undefined) context.req.socket.destroy()
  const texts = {
    json: () => JSON.stringify(body),
    xml: () => String(body),
    html: () => '<!DOCTYPE html><html></html>',
    text: () => 'text that was not recorded',
    empty: () => '',
  }
  return {
    status: status ?? 500,
    headers,
    body: { text: [texts[format]()], long: false, mediaType: MEDIA_TYPES[format] },
  }
}
