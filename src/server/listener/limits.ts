const SECOND_MS = 1000
const KIBIBYTE = 1024

/**
 * A scraper sends a few hundred bytes at once and reads at once, so these limits are generous for it.
 * 512 connections of about 50 kB each stay below 30 MB, and below a quarter of a limit of 4096 file descriptors.
 * The stall timeout is long because scrape_timeout in Prometheus may be one or two minutes. So is the time of a
 * response, which also limits clients that read slowly.
 */
export const DEFAULT_LIMITS = {
  /** From the first byte (or the connect) to the end of the headers; then 408. Also the limit of the TLS handshake. */
  headersTimeoutMs: 5 * SECOND_MS,
  /** From the first byte to the end of the body; then 408. */
  requestTimeoutMs: 10 * SECOND_MS,
  /** Longest idle time of a connection between two requests. */
  keepAliveTimeoutMs: 5 * SECOND_MS,
  /** Longest time without traffic during a response: the client does not read, or the handler does not write. */
  stallTimeoutMs: 120 * SECOND_MS,
  /** Time for sending a response, from the first byte, in addition to that of responseBytesPerMs. */
  responseBaseMs: 60 * SECOND_MS,
  /** Lowest rate at which a response is sent. */
  responseBytesPerMs: (256 * KIBIBYTE) / SECOND_MS,
  /** Interval at which Node.js checks headersTimeoutMs and requestTimeoutMs. */
  checkIntervalMs: SECOND_MS,
  /** Request line and headers together; then 431. */
  headerBytes: 8 * KIBIBYTE,
  /** The request target; then 414. */
  urlBytes: 2 * KIBIBYTE,
  /** Connections that wait to be accepted. Beyond it, a client repeats its first packet after a second. */
  backlog: 2048,
  /** Open connections; a further one closes that without progress for the longest time. */
  connections: 512,
  /** Requests of one connection; further ones are answered with 503. */
  requestsPerConnection: 100,
  stopGraceMs: 3 * SECOND_MS,
  /** Interval at which `stop` closes idle connections. */
  idleSweepMs: 50,
  /** Shortest interval between two reads of the web configuration file and the files that it names. */
  webFileCheckMs: SECOND_MS,
}

export type ServerLimits = Readonly<typeof DEFAULT_LIMITS>
