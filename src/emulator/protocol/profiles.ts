import { ATTRIBUTES, type Attribute, PERFORMANCE_CATEGORIES } from '../../catalogue.ts'

/** Roles of the storage system (API document, "Authentication"). */
export const ROLES = ['SYSTEM_MONITOR', 'SYSTEM_ADMIN', 'SECURITY_ADMIN'] as const
export type Role = (typeof ROLES)[number]

interface ProfileRow {
  readonly help: string
  /** Performance statistics. Since version 3.6 they are not part of the dashboard API. */
  readonly performance: boolean
  /** The version that `/vdc/nodes` serves. No other resource of a system contains it. */
  readonly version: string
  /**
   * The Flux API. `absent`: there is no such path; `unavailable`: 503 with code 6503, always; else the interfaces and
   * fields of the measurement `net` are those of version 3 or of version 4.3. `v3-defect`, as in 3.7 and 3.8.0: ranges
   * without `last()` have points outside of the window, and running totals.
   */
  readonly flux: 'absent' | 'unavailable' | 'v3' | 'v3-defect' | 'v4'
}

/** `documented` has the form of the API document, the others that of real systems. */
export const PROFILES = {
  documented: {
    help: 'exactly as in the API document, in all notations that it allows',
    performance: true,
    version: '2.2.0.0.78764.cdd6ba8',
    flux: 'absent',
  },
  classic: {
    help: 'version 3.5: strings and arrays throughout, all attributes, and the Flux API',
    performance: true,
    version: '3.5.0.0.120681.9b9f0c3',
    flux: 'v3',
  },
  modern: {
    help: 'version 4.3: CPU, memory, network, transactions and disk I/O only in the Flux API',
    performance: false,
    version: '4.3.0.0.142978.5d1c0a7b2e4',
    flux: 'v4',
  },
  'range-defect': {
    help: 'version 3.8.0: as modern; queries of ranges without last() return wrong values',
    performance: false,
    version: '3.8.0.3.136839.4f1ba2c9d07',
    flux: 'v3-defect',
  },
  community: {
    help: 'Community Edition 3.8.1: as modern, but the Flux API always responds with 503',
    performance: false,
    version: '3.8.1.4.140200.8103892f11b',
    flux: 'unavailable',
  },
} as const satisfies Record<string, ProfileRow>

export type Profile = keyof typeof PROFILES

export function attributesOf(profile: Profile): readonly Attribute[] {
  return ATTRIBUTES.filter(
    ({ category }) => PROFILES[profile].performance || !PERFORMANCE_CATEGORIES.includes(category),
  )
}
