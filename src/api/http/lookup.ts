import { type LookupAddress, TIMEOUT } from 'node:dns'
import { lookup as getaddrinfo, Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { errorCode } from '../../values/errors.ts'
import { createSemaphore, untilAborted, withDeadline } from './waiting.ts'

/**
 * The addresses of a host name, as the operating system knows them: hosts file, search domains and both families.
 * @throws the error of getaddrinfo; {@link ApiError} `timeout` when the signal aborts as a timeout
 */
export type Lookup = (name: string, signal: AbortSignal) => Promise<readonly LookupAddress[]>

export interface LookupSources {
  /** Takes a thread of libuv for as long as the name servers do not respond; it cannot be cancelled. */
  readonly addresses: (name: string) => Promise<readonly LookupAddress[]>
  /** Whether the name servers respond, so that `addresses` ends soon. */
  readonly isAnswered: (name: string) => Promise<boolean>
}

/** A lookup that takes longer hangs. */
const PROMPT_MS = 1000

interface Name {
  lookup?: Promise<readonly LookupAddress[]>
  /** Addresses of the last lookup that gave any. */
  last?: readonly LookupAddress[]
  /** Whether the last lookup ended within {@link PROMPT_MS}. */
  wasPrompt: boolean
}

/**
 * Lookups for all systems of the process. One runs for a name, shared by all that wait; while it hangs, the last addresses
 * are used. Two of libuv's threads are used: one for names whose name servers respond, and one for the others, so that
 * these cannot delay the first. Each is FIFO.
 */
export function createLookup(sources: LookupSources = SYSTEM): Lookup {
  const answered = createSemaphore(1)
  const others = createSemaphore(1)
  // As many as there are host names in configurations.
  const names = new Map<string, Name>()

  async function run(text: string, name: Name): Promise<readonly LookupAddress[]> {
    const thread = name.wasPrompt || (await sources.isAnswered(text)) ? answered : others
    return thread.run(async () => {
      const beganAt = performance.now()
      try {
        name.last = await sources.addresses(text)
        return name.last
      } finally {
        name.wasPrompt = performance.now() - beganAt < PROMPT_MS
      }
    })
  }

  return async (text, signal) => {
    const name = names.get(text) ?? { wasPrompt: false }
    names.set(text, name)
    name.lookup ??= run(text, name).finally(() => delete name.lookup)
    const { lookup, last } = name
    if (last === undefined) return untilAborted(lookup, signal)
    try {
      return await withDeadline(signal, PROMPT_MS, (prompt) => untilAborted(lookup, prompt))
    } catch (failure) {
      // The name servers answered that the name has no address.
      if (errorCode(failure) === 'ENOTFOUND') throw failure
      return last
    }
  }
}

const SYSTEM: LookupSources = {
  addresses: (name) => getaddrinfo(name, { all: true }),
  async isAnswered(name) {
    if (hostsFile().split(/\s+/).includes(name)) return true
    // c-ares takes no thread. Its answers are not used: it knows neither search domains nor other sources than DNS.
    const resolver = new Resolver({ timeout: PROMPT_MS, tries: 1 })
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    return answers.every((answer) => answer.status === 'fulfilled' || errorCode(answer.reason) !== TIMEOUT)
  },
}

function hostsFile(): string {
  try {
    return readFileSync('/etc/hosts', 'utf8')
  } catch {
    return ''
  }
}
