import { ATTRIBUTES, type Attribute, PERFORMANCE_CATEGORIES } from '../../catalogue.ts'

interface ProfileRow {
  readonly help: string
  /** Member of `_embedded` that holds the nodes. */
  readonly list: 'instances' | '_instances'
  /** `<Attribute>Current` and the extremes of a summary: one snapshot, or an array of snapshots. */
  readonly snapshots: 'object' | 'array'
  /** Performance statistics. Since version 3.6 they are not part of the feed. */
  readonly performance: boolean
  /** Members of real systems that the API document does not have. */
  readonly extras: boolean
  /** Default response to an unknown or expired token. */
  readonly expiredToken: ExpiredToken
}

/** Responses to an unknown or expired token. */
export const EXPIRED_TOKEN = {
  '302': 'redirect GET requests to /login?service=…, refuse the others with 401',
  '401': 'refuse with 401',
} as const
export type ExpiredToken = keyof typeof EXPIRED_TOKEN

/** The variants of the nodes feed. */
export const PROFILES = {
  documented: {
    help: 'exactly as in the API document, in all notations that it allows',
    list: 'instances',
    snapshots: 'object',
    performance: true,
    extras: false,
    expiredToken: '401',
  },
  classic: {
    help: 'real systems up to version 3.5: strings and arrays throughout, all attributes',
    list: '_instances',
    snapshots: 'array',
    performance: true,
    extras: true,
    expiredToken: '302',
  },
  modern: {
    help: 'real systems since version 3.6: as classic, without CPU, memory, network, transactions and disk I/O',
    list: '_instances',
    snapshots: 'array',
    performance: false,
    extras: true,
    expiredToken: '302',
  },
} as const satisfies Record<string, ProfileRow>

export type Profile = keyof typeof PROFILES

/** The attributes that a profile serves. */
export function attributesOf(profile: Profile): readonly Attribute[] {
  return ATTRIBUTES.filter(
    ({ category }) => PROFILES[profile].performance || !PERFORMANCE_CATEGORIES.includes(category),
  )
}
