import type { ServerResponse } from 'node:http'
import type { DocumentFormat } from '../protocol/format.ts'
import type { Operation } from '../protocol/operations.ts'
import type { Settings } from '../protocol/profiles.ts'

export interface FullResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface FaultRequest {
  readonly operation: Operation
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

/** A row of the table of faults. Of the functions it has one; they are in the order in which a request passes them. */
export interface FaultRow {
  readonly help: string
  readonly argument?: {
    /** As shown in the help, such as `SECONDS`. */
    readonly name: string
    readonly fallback: string
    readonly pattern: RegExp
  }
  /** The only operation that the fault applies to without a target. */
  readonly operation?: Operation
  /** Changes the time of the samples, in epoch seconds; with `changesDateHeader` also the Date header. */
  readonly clock?: (now: number, since: number, argument: string) => number
  readonly changesDateHeader?: true
  readonly settings?: (argument: string) => Partial<Settings>
  /** Limits the number of requests that a token is valid for; 0 revokes the existing tokens. */
  readonly tokenUses?: (argument: string) => number
  /** Responds in place of the storage system, which does not process the request. */
  readonly respond?: (argument: string, request: FaultRequest) => FullResponse
  /** Changes a list of the feed or of a resource in place, or returns another JSON text. */
  readonly feed?: (feed: FeedDocument, argument: string) => string | undefined
  /** Changes the JSON of a query that was successful. */
  readonly answer?: (series: QueryTable, argument: string) => QueryTable[]
  /** Changes status, headers or bytes of a complete response. */
  readonly response?: (response: FullResponse, argument: string) => FullResponse
  /** Sends a complete response itself; settles when it no longer needs the connection. */
  readonly send?: (connection: Connection, argument: string) => Promise<void>
}

/** The nodes feed as parsed JSON. */
export type JsonObject = { [name: string]: unknown }
export interface FeedDocument {
  readonly root: JsonObject
  readonly nodes: JsonObject[]
}

export interface QueryTable {
  readonly Datatypes: readonly string[]
  readonly Columns: readonly string[]
  readonly Values: readonly (readonly (string | null)[])[]
}

export const secondsArgument = (fallback: number) => ({
  name: 'SECONDS',
  fallback: String(fallback),
  pattern: /^\d{1,10}(\.\d+)?$/,
})
export const countArgument = (name: string, fallback: number) => ({
  name,
  fallback: String(fallback),
  pattern: /^\d{1,6}$/,
})
/** An argument with a closed list of values, which help and errors show. */
export const choiceArgument = (choices: readonly string[], fallback: string) => ({
  name: choices.join('|'),
  fallback,
  pattern: new RegExp(`^(${choices.map(RegExp.escape).join('|')})$`),
})
