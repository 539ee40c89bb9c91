import type { ServerResponse } from 'node:http'
import type { DocumentFormat } from '../protocol/format.ts'
import type { Operation } from '../protocol/operations.ts'

/** An answer in full, between the storage system and the wire. */
export interface WireAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** What a fault may know of the request. */
export interface FaultRequest {
  readonly operation: Operation
  /** Path and query as they came. */
  readonly url: string
  readonly format: DocumentFormat
}

/** Where a fault has its place, in the order in which a request meets them. */
export type Effect =
  /** Bends the time of the samples; seconds. `dateHeader`: that of the answer too. */
  | {
      readonly stage: 'clock'
      readonly now: (now: number, since: number, argument: string) => number
      readonly dateHeader?: true
    }
  /** Makes tokens die; 0 kills those that exist, a number lets each live for so many requests. */
  | { readonly stage: 'tokens'; readonly uses: (argument: string) => number }
  /** Answers in place of the storage system, which never hears of the request. */
  | { readonly stage: 'instead'; readonly answer: (argument: string, request: FaultRequest) => WireAnswer }
  /** Distorts the nodes feed; gives its text. */
  | { readonly stage: 'feed'; readonly distort: (feed: FeedDocument, argument: string) => string }
  /** Changes status, headers or bytes of a finished answer. */
  | { readonly stage: 'answer'; readonly change: (answer: WireAnswer, argument: string) => WireAnswer }
  /** Sends a finished answer in its own way; settles when it is done with the connection. */
  | {
      readonly stage: 'wire'
      readonly send: (answer: WireAnswer, argument: string, wire: Wire) => Promise<void>
    }

export interface Wire {
  readonly response: ServerResponse
  /** Aborted when the emulator stops or the connection closes. */
  readonly signal: AbortSignal
}

export interface FaultRow {
  /** One sentence: what a client meets. */
  readonly help: string
  readonly argument?: {
    /** As shown in the help: `SECONDS`. */
    readonly name: string
    readonly fallback: string
    readonly pattern: RegExp
  }
  readonly effect: Effect
}

/** The nodes feed as parsed JSON; nothing is known of it but that it is an object. */
export type JsonObject = { [name: string]: unknown }
export interface FeedDocument {
  readonly root: JsonObject
  readonly nodes: JsonObject[]
}

export const SECONDS = (fallback: number) => ({
  name: 'SECONDS',
  fallback: String(fallback),
  pattern: /^\d{1,10}(\.\d+)?$/,
})
export const COUNT = (name: string, fallback: number) => ({
  name,
  fallback: String(fallback),
  pattern: /^\d{1,6}$/,
})
/** An argument that is one of a few words, which the help and the errors list. */
export const ONE_OF = (choices: readonly string[], fallback: string) => ({
  name: choices.join('|'),
  fallback,
  pattern: new RegExp(`^(${choices.join('|')})$`),
})
