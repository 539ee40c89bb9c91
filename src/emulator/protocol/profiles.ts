import { ATTRIBUTES, type Attribute, PERFORMANCE_CATEGORIES } from '../../catalogue.ts'

/** Roles of the storage system (API document, "Authentication"). */
export const ROLES = ['SYSTEM_MONITOR', 'SYSTEM_ADMIN', 'SECURITY_ADMIN'] as const
export type Role = (typeof ROLES)[number]

interface ProfileRow {
  readonly help: string
  readonly list: 'instances' | '_instances'
  /** `<Attribute>Current` and the extremes of a summary: one snapshot, or an array of snapshots. */
  readonly snapshots: 'object' | 'array'
  /** Performance statistics. Since version 3.6 they are not part of the dashboard API. */
  readonly performance: boolean
  /** Members of real systems that the API document does not have. */
  readonly extras: boolean
  /** Whether historical free space includes the reserve, as on real systems. */
  readonly reserveInHistory: boolean
  /** Whether GET requests with an unknown or expired token are redirected to the login, not refused with 401. */
  readonly redirectsToLogin: boolean
  /** Roles that may delete providers. */
  readonly deleteRoles: readonly Role[]
  /** The version that `/vdc/nodes` serves. No other resource of a system contains it. */
  readonly version: string
  readonly query: QueryInterface
}

export interface QueryInterface {
  /** `absent`: there is no such path. `unavailable`: 503 with code 6503, always. */
  readonly state: 'served' | 'absent' | 'unavailable'
  /** Interfaces and fields of the measurement `net`: those of version 3 or of version 4.3. */
  readonly network: 'v3' | 'v4'
  /** Versions 3.7 and 3.8.0: ranges without `last()` have points outside of the window, and running totals. */
  readonly rangeDefect: boolean
}

/** The form of real systems. */
const REAL = {
  list: '_instances',
  snapshots: 'array',
  extras: true,
  reserveInHistory: true,
  redirectsToLogin: true,
  deleteRoles: ['SECURITY_ADMIN'],
} as const

export const PROFILES = {
  documented: {
    help: 'exactly as in the API document, in all notations that it allows',
    list: 'instances',
    snapshots: 'object',
    performance: true,
    extras: false,
    reserveInHistory: false,
    redirectsToLogin: false,
    // The document shows no roles for deletions.
    deleteRoles: ROLES,
    version: '2.2.0.0.78764.cdd6ba8',
    query: { state: 'absent', network: 'v3', rangeDefect: false },
  },
  classic: {
    ...REAL,
    help: 'version 3.5: strings and arrays throughout, all attributes, and the Flux API',
    performance: true,
    version: '3.5.0.0.120681.9b9f0c3',
    query: { state: 'served', network: 'v3', rangeDefect: false },
  },
  modern: {
    ...REAL,
    help: 'version 4.3: CPU, memory, network, transactions and disk I/O only in the Flux API',
    performance: false,
    version: '4.3.0.0.142978.5d1c0a7b2e4',
    query: { state: 'served', network: 'v4', rangeDefect: false },
  },
  'range-defect': {
    ...REAL,
    help: 'version 3.8.0: as modern; queries of ranges without last() return wrong values',
    performance: false,
    version: '3.8.0.3.136839.4f1ba2c9d07',
    query: { state: 'served', network: 'v3', rangeDefect: true },
  },
  community: {
    ...REAL,
    help: 'Community Edition 3.8.1: as modern, but the Flux API always responds with 503',
    performance: false,
    version: '3.8.1.4.140200.8103892f11b',
    query: { state: 'unavailable', network: 'v3', rangeDefect: false },
  },
} as const satisfies Record<string, ProfileRow>

export type Profile = keyof typeof PROFILES

export function attributesOf(profile: Profile): readonly Attribute[] {
  return ATTRIBUTES.filter(
    ({ category }) => PROFILES[profile].performance || !PERFORMANCE_CATEGORIES.includes(category),
  )
}
