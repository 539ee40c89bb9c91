import type { ServerResponse } from 'node:http'
import type { EmulatedOperation } from '../http/routes.ts'
import type { DocumentFormat, JsonObject } from '../protocol/format.ts'
import type { FaultArgument } from '../protocol/settings.ts'

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

/** What faults change, in the order in which a request passes them. */
interface FaultChanges {
  /** The time of the samples and of the Date header, in epoch seconds. */
  readonly date: (now: number, argument: string) => number
  /** The time of the samples only. `since`: when the fault was activated. */
  readonly clock: (now: number, argument: string, since: number) => number
  /** The number of requests that a token is valid for; 0 revokes the existing tokens. */
  readonly tokens: (argument: string) => number
  /** Responds in place of the storage system, which does not process the request. */
  readonly respond: (argument: string, request: FaultRequest) => FullResponse
  /** The JSON of a successful response. */
  readonly json: (root: JsonObject, argument: string) => unknown
  /** Headers or bytes of a complete response. */
  readonly response: (body: Buffer, argument: string) => Partial<Pick<FullResponse, 'headers' | 'body'>>
  /** Sends a complete response itself; settles when it no longer needs the connection. */
  readonly send: (connection: Connection, argument: string) => Promise<void>
}

/** One of the changes, or none: then the code of the storage system applies the fault itself. */
export interface FaultRow extends Partial<FaultChanges> {
  readonly description: string
  readonly argument?: FaultArgument | undefined
  /** The only operations that the fault applies to without a target; default: all. */
  readonly operations?: readonly EmulatedOperation[] | undefined
}

/** Creates the rows with a kind of change. */
export const rowsOf =
  <Kind extends keyof FaultChanges>(kind: Kind, operations?: readonly EmulatedOperation[]) =>
  (description: string, change: FaultChanges[Kind], argument?: FaultArgument): FaultRow => {
    return { [kind]: change, description, argument, operations }
  }
