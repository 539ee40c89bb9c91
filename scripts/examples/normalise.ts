import { userInfo } from 'node:os'

interface Rule {
  readonly pattern: RegExp
  readonly replacement: string
  readonly reason: string
}

/** What differs between two runs although the clock stands still, and what the documentation has instead. */
const RULES: readonly Rule[] = [
  {
    pattern: /("duration_seconds": ?)[\d.e-]+/g,
    replacement: '$10.031',
    reason: 'time that a poll took',
  },
  {
    pattern: /^(sds_pool_poll_duration_seconds\{.*\}) .*$/gm,
    replacement: '$1 0.031',
    reason: 'time that a poll took',
  },
  {
    pattern: /(\bduration_ms=)[\d.]+/g,
    replacement: '$131',
    reason: 'time that a request or a poll took',
  },
  {
    pattern: /("last_minute": ?)\d+/g,
    replacement: '$119',
    reason: 'forecasts may be read later',
  },
  {
    pattern: /(\baudit_id(?:":"|=))[\da-f-]+/g,
    replacement: '$16fcdd4bc-25b4-4d0c-9ba3-6b54d2a0e0b1',
    reason: 'random id',
  },
  {
    pattern: /(\btoken_sha256(?:":"|=))[\da-f]+/g,
    replacement: '$17ea6d6035242',
    reason: 'fingerprint of a random token',
  },
  {
    pattern: new RegExp(`(command line of )${userInfo().username}`, 'g'),
    replacement: '$1alice',
    reason: 'user of the machine',
  },
  {
    pattern: /^( {2}revision +)\w+$/gm,
    replacement: '$1b7c1f0a9d3e24c58a6f0e1d2c3b4a5968778695a',
    reason: 'commit of the clone',
  },
  { pattern: /^( {2}node +)[\d.]+$/gm, replacement: '$124.21.0', reason: 'version of Node.js' },
  { pattern: /^( {2}openssl +)[\w.+]+$/gm, replacement: '$13.5.8', reason: 'version of Node.js' },
  { pattern: /^( {2}platform +).*$/gm, replacement: '$1linux x64', reason: 'machine of the run' },
]

/** The output of a run without what differs from run to run. */
export function normalise(output: string): string {
  return RULES.reduce((text, { pattern, replacement }) => text.replaceAll(pattern, replacement), output)
}
