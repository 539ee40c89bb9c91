import type { ServerResponse } from 'node:http'
import type { EmulatedOperation } from '../http/routes.ts'
import type { DocumentFormat, JsonObject } from '../protocol/format.ts'
import type { Argument } from '../protocol/settings.ts'

export interface FullResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface FaultRequest {
  /** Path and query as received. */
  readonly url: string
  readonly format: DocumentFormat
}

export interface Connection {
  readonly response: FullResponse
  readonly output: ServerResponse
  /** Aborted when the emulator stops or the connection closes. */
  readonly signal: AbortSignal
}

/** What the faults of each kind change, in the order in which a request passes them. */
interface Changes {
  /** The time of the samples and of the Date header, in epoch seconds. */
  date: (now: number, argument: string) => number
  /** The time of the samples only. `since`: when the fault was activated. */
  clock: (now: number, argument: string, since: number) => number
  /** The number of requests that a token is valid for; 0 revokes the existing tokens. */
  tokens: (argument: string) => number
  setting: undefined
  /** Responds in place of the storage system, which does not process the request. */
  respond: (argument: string, request: FaultRequest) => FullResponse
  /** The JSON of a successful response. */
  json: (root: JsonObject, argument: string) => unknown
  /** Headers or bytes of a complete response. */
  response: (body: Buffer, argument: string) => Partial<Pick<FullResponse, 'headers' | 'body'>>
  /** Sends a complete response itself; settles when it no longer needs the connection. */
  send: (connection: Connection, argument: string) => Promise<void>
}
export type Kind = keyof Changes

export type FaultRow = { readonly [K in Kind]: RowOf<K> }[Kind]
export interface RowOf<K extends Kind> {
  readonly kind: K
  readonly description: string
  readonly change: Changes[K]
  readonly argument?: Argument | undefined
  /** The only operations that the fault applies to without a target; default: all. */
  readonly operations?: readonly EmulatedOperation[] | undefined
}

/** Creates the rows of a kind. */
export const rowsOf =
  <K extends Kind>(kind: K, operations?: readonly EmulatedOperation[]) =>
  (description: string, change: Changes[K], argument?: Argument): RowOf<K> => {
    return { kind, description, change, argument, operations }
  }
