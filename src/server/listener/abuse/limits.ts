const SECOND_MS = 1000
const KIBIBYTE = 1024

/** Limits of one listener. */
export interface ServerLimits {
  /** From the first byte (or the connect) to the end of the headers; then 408. Also the limit of the TLS handshake. */
  readonly headersTimeoutMs: number
  /** From the first byte to the end of the body; then 408. */
  readonly requestTimeoutMs: number
  /** Longest idle time of a connection between two requests. */
  readonly keepAliveTimeoutMs: number
  /** Longest time without traffic during a response: the client does not read, or the handler does not write. */
  readonly stallTimeoutMs: number
  /** Time for sending a response, from the first byte, in addition to that of responseBytesPerMs. */
  readonly responseBaseMs: number
  /** Lowest rate at which a response is sent. */
  readonly responseBytesPerMs: number
  /** Interval at which Node.js checks headersTimeoutMs and requestTimeoutMs. */
  readonly checkIntervalMs: number
  /** Request line and headers together; then 431. */
  readonly headerBytes: number
  /** The request target; then 414. */
  readonly urlBytes: number
  /** Connections that wait to be accepted. Beyond it, a client repeats its first packet after a second. */
  readonly backlog: number
  /** Open connections; a further one closes that without progress for the longest time. */
  readonly connections: number
  /** The HTTP parser is passed so many bytes at once. */
  readonly parsedBytes: number
  /** Time that `stop` waits for running responses. */
  readonly stopGraceMs: number
  /** Interval at which `stop` closes idle connections. */
  readonly idleSweepMs: number
  /** Shortest interval between two reads of the web configuration file and the files that it names. */
  readonly webFileCheckMs: number
}

/**
 * A scraper sends a few hundred bytes at once and reads at once, so these limits are generous for it.
 * 512 connections of about 50 kB each stay below 30 MB, and below a quarter of a limit of 4096 file descriptors.
 * The stall timeout is long because scrape_timeout in Prometheus may be one or two minutes. So is the time of a
 * response, which also limits clients that read slowly.
 */
export const DEFAULT_LIMITS: ServerLimits = {
  headersTimeoutMs: 5 * SECOND_MS,
  requestTimeoutMs: 10 * SECOND_MS,
  keepAliveTimeoutMs: 5 * SECOND_MS,
  stallTimeoutMs: 120 * SECOND_MS,
  responseBaseMs: 60 * SECOND_MS,
  responseBytesPerMs: (256 * KIBIBYTE) / SECOND_MS,
  checkIntervalMs: SECOND_MS,
  headerBytes: 8 * KIBIBYTE,
  urlBytes: 2 * KIBIBYTE,
  backlog: 2048,
  connections: 512,
  parsedBytes: KIBIBYTE,
  stopGraceMs: 3 * SECOND_MS,
  idleSweepMs: 50,
  webFileCheckMs: SECOND_MS,
}
