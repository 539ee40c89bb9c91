const SECOND_MS = 1000
const KIBIBYTE = 1024

/** What one listener allows its clients; every name ends in its unit. */
export interface ServerLimits {
  /** From the first byte (or the connect) to the end of the headers; then 408. The TLS handshake has as long. */
  readonly headersTimeoutMs: number
  /** From the first byte to the end of the body; then 408. */
  readonly requestTimeoutMs: number
  /** How long a connection may rest between two requests. */
  readonly keepAliveTimeoutMs: number
  /** How long a connection may stand still while it is answered: a client that does not read, an answer that does not come. */
  readonly stallTimeoutMs: number
  /** How often the three timeouts above are looked at. */
  readonly checkIntervalMs: number
  /** Request line and headers together; then 431. */
  readonly headerBytes: number
  /** The request target; then 414. */
  readonly urlBytes: number
  /** Open connections; further ones are closed unread. */
  readonly connections: number
  /** How long `stop` waits for running answers. */
  readonly stopGraceMs: number
  /** How often `stop` closes the connections that fell idle. */
  readonly idleSweepMs: number
  /** How often, at most, the web configuration file and what it names are read again. */
  readonly webFileCheckMs: number
}

/**
 * A scraper sends a few hundred bytes at once and reads at once, so that all of these are generous for it.
 * 512 connections: hundreds of clients at one moment are a flood for an exporter; at some 50 kB each they stay
 * below 30 MB, and below a quarter of the 4096 descriptors that the strictest usual system leaves a process.
 * The stall timeout is long, because Prometheus may allow a scrape a minute or two.
 */
export const DEFAULT_LIMITS: ServerLimits = {
  headersTimeoutMs: 5 * SECOND_MS,
  requestTimeoutMs: 10 * SECOND_MS,
  keepAliveTimeoutMs: 5 * SECOND_MS,
  stallTimeoutMs: 120 * SECOND_MS,
  checkIntervalMs: SECOND_MS,
  headerBytes: 8 * KIBIBYTE,
  urlBytes: 2 * KIBIBYTE,
  connections: 512,
  stopGraceMs: 3 * SECOND_MS,
  idleSweepMs: 50,
  webFileCheckMs: SECOND_MS,
}
