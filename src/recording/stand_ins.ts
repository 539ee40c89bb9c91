import { createHmac, randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { URN_WORDS } from './words.ts'

export type StandIns = ReturnType<typeof createStandIns>

/** Longer texts have no form that is kept. */
const MAX_FORMED_CHARACTERS = 300
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i
const UUID_PARTS = /^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/
/** The product itself has this id. */
const NO_UUID = '00000000-0000-0000-0000-000000000000'
const MAIL = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/
const HOST = /^[a-z\d-]+(\.[a-z\d-]+)+$/i
/** Prefixes of the stand-ins of names of hosts. */
const HOST_PREFIXES: ReadonlySet<string> = new Set(['node', 'host'])
/** Reserved for documentation (RFC 2606), so that no stand-in is the name of a host. */
const DOMAIN = 'example.net'

/** The same text has the same stand-in, a name of a host in any case. @param key without it, a stand-in does not reveal its UUID */
export function createStandIns(key: Uint8Array = randomBytes(32)) {
  const standIns = new Map<string, string>()
  const byLowerCase = new Map<string, string>()
  const made = new Set<string>()
  const counts = new Map<string, number>()

  const next = (prefix: string): number => {
    const count = (counts.get(prefix) ?? 0) + 1
    counts.set(prefix, count)
    return count
  }

  function make(text: string, prefix: string): string {
    if (text.length > MAX_FORMED_CHARACTERS) return `${prefix}-${next(prefix)}`
    if (UUID.test(text)) return uuidOf(text, key)
    const version = isIP(text)
    if (version === 4) return addressOf(next('address'))
    if (version === 6) return `2001:db8::${next('address6').toString(16)}`
    if (MAIL.test(text)) return `mail-${next('mail')}@${DOMAIN}`
    const hasDomain = HOST_PREFIXES.has(prefix) && HOST.test(text)
    return `${prefix}-${next(prefix)}${hasDomain ? `.${DOMAIN}` : ''}`
  }

  function whole(text: string, prefix: string): string {
    const known = standIns.get(text)
    if (known !== undefined) return known
    const lowered = text.toLowerCase()
    // The exporter joins nodes by their names without case. The names of namespaces and buckets differ by case.
    const isAnyCase = HOST_PREFIXES.has(prefix) && !UUID.test(text)
    const standIn = (isAnyCase ? byLowerCase.get(lowered) : undefined) ?? make(text, prefix)
    standIns.set(text, standIn)
    if (!byLowerCase.has(lowered)) byLowerCase.set(lowered, standIn)
    made.add(standIn)
    return standIn
  }

  return {
    /** @param prefix of the stand-in of a text that is neither an id of a known form nor an address */
    of(text: string, prefix: string): string {
      if (text === '' || text === NO_UUID) return text
      // The parts of a URN also occur alone: the id of a pool in the objects of its nodes.
      const isUrn = text.length <= MAX_FORMED_CHARACTERS && /(^|:)\s*urn:/i.test(text)
      if (!isUrn) return whole(text, prefix)
      return text
        .split(/(\s*:\s*)/)
        .map((part, index) =>
          index % 2 === 1 || URN_WORDS.has(part) || part === '' || part === NO_UUID
            ? part
            : whole(part, prefix),
        )
        .join('')
    },
    replaced: (): ReadonlyMap<string, string> => standIns,
    isStandIn: (text: string): boolean => made.has(text),
  }
}

/** Has the case of the text, because ids are compared without regard to case. */
function uuidOf(text: string, key: Uint8Array): string {
  const digest = createHmac('sha256', key).update(text.toLowerCase()).digest('hex')
  const uuid = digest.replace(UUID_PARTS, '$1-$2-$3-$4-$5')
  return text === text.toLowerCase() ? uuid : uuid.toUpperCase()
}

/** An address in 198.18.0.0/15, which is for tests (RFC 2544) and has 131,072 addresses. */
function addressOf(count: number): string {
  return `198.${18 + (Math.floor(count / 65_536) % 2)}.${Math.floor(count / 256) % 256}.${count % 256}`
}
