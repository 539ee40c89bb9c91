import { pipeline } from 'node:stream/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import type { Context } from 'koa'
import { readSelection, selectStatus } from '../../status/selection.ts'
import { createStatusReader, type Status, type StatusSources } from '../../status/status.ts'
import { visibleText } from '../../text.ts'
import { HttpError } from '../../values/http_error.ts'
import { createDocument } from '../page/document.ts'
import { listenerLink } from '../page/listener_link.ts'
import type { ResponseSlots } from '../response_slots.ts'
import { statusPage } from './page/page.ts'

export interface StatusAppOptions extends StatusSources {
  /** The page of the administration; undefined if it is disabled. */
  readonly adminUrl: () => string | undefined
  readonly metricsPath: string
  /** Where the documentation of this version is published. */
  readonly documentationUrl?: string | undefined
  /** Responses in flight. */
  readonly slots: ResponseSlots
}

const PAGE_FILES = {
  style: new URL('page/style.css', import.meta.url),
  script: new URL('page/script.js', import.meta.url),
  hasForm: true,
}
const NOT_FOUND = new HttpError(404, 'There is no system or pool with this name.')

/** The handlers of `GET /` and `GET /api/v1/status`. */
export function createStatusApp(options: StatusAppOptions) {
  const { slots } = options
  const read = createStatusReader(options)
  const document = createDocument(PAGE_FILES)

  /**
   * The whole status and what a request selects of it; undefined if there is no such system or pool. The listener serves
   * one request in each turn of the event loop.
   * @throws {HttpError}
   */
  function select(context: Context) {
    const selection = readSelection(new URL(context.url, 'http://localhost').searchParams)
    if (typeof selection === 'string') throw new HttpError(400, selection)
    const status = read()
    slots.take(context.res, { group: 'status', exposition: status })
    return { selection, status, selected: selectStatus(status, selection) }
  }

  return {
    async page(context: Context): Promise<void> {
      const { metricsPath, documentationUrl, recent } = options
      const adminUrl = options.adminUrl()
      const administration =
        adminUrl === undefined ? undefined : listenerLink(context, adminUrl, 'Administration')
      const found = select(context)
      context.status = found.selected === undefined ? 404 : 200
      context.set(document.headers)
      const page = statusPage({ ...found, recent, metricsPath, administration, documentationUrl })
      await sendPieces(context, [document.render(page)])
    },
    async document(context: Context): Promise<void> {
      const { selected } = select(context)
      if (selected === undefined) throw NOT_FOUND
      context.status = 200
      await sendPieces(context, jsonPieces(selected))
    },
  }
}

/** One system in each turn of the event loop, with other requests between them. Invisible characters are escaped. */
async function* jsonPieces({ systems, ...status }: Status): AsyncGenerator<string> {
  const textOf = (value: unknown) => visibleText(JSON.stringify(value))
  yield `${textOf(status).slice(0, -1)},"systems":[`
  for (const [index, system] of systems.entries()) {
    await nextTurn()
    yield `${index > 0 ? ',' : ''}${textOf(system)}`
  }
  yield ']}\n'
}

const MAX_LISTENERS = 20

/** Bypasses Koa, so that the response is sent while it is being made. */
async function sendPieces(context: Context, pieces: AsyncIterable<string> | Iterable<string>): Promise<void> {
  const { res } = context
  context.vary('Accept-Encoding')
  const isPacked = context.acceptsEncodings('gzip', 'identity') === 'gzip'
  if (isPacked) context.set('Content-Encoding', 'gzip')
  context.respond = false
  // Limits, slots, Koa and the pipeline all wait for the end of the response.
  res.setMaxListeners(MAX_LISTENERS)
  if (context.method === 'HEAD') res.end()
  else if (isPacked) await pipeline(pieces, createGzip(), res)
  else await pipeline(pieces, res)
}
