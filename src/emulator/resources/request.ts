import type { Context } from 'koa'
import type { Counters } from '../model/activity.ts'
import type { StorageModel } from '../model/model.ts'
import type { Pool } from '../model/topology.ts'
import { EmulatedError, findBy } from '../protocol/errors.ts'
import type { Document, Members } from '../protocol/format.ts'
import type { Profile } from '../protocol/profiles.ts'
import type { Settings } from '../protocol/settings.ts'

export interface EmulatedSystem {
  readonly model: StorageModel
  readonly profile: Profile
  readonly counters: Counters
  /** Maximum number of points of one series in one request. */
  readonly maxPoints: number
}

/** A request with a valid path, token and role. */
export interface ResourceRequest extends EmulatedSystem {
  readonly settings: Settings
  /** Time of the samples in epoch seconds, which faults can change. */
  readonly now: number
  readonly context: Context
  readonly query: URLSearchParams
  /** The parameters of the path, decoded. */
  readonly parameters: readonly string[]
  /** Empty except for POST. */
  readonly body: string
}

/**
 * A document whose JSON has the members at the top level, as on real systems; in profile `documented` within the root
 * element, as in the examples of the API references.
 */
export function wrapped({ profile }: ResourceRequest, root: string, members: Members): Document {
  return { root, members, ...(profile === 'documented' && { json: { [root]: members } }) }
}

/** Finds a pool by its URN, or by its bare UUID as in node objects of real systems. @throws EmulatedError 404 */
export function findPool({ pools }: StorageModel, id: string): Pool {
  return findBy(pools, id, (one) => one.id === id || one.uuid === id)
}

const DEFAULT_PAGE = 100
const MAX_PAGE = 1_000

/**
 * The page that the parameters `limit` and `marker` select.
 * @param names of the root element, of its list, and of the member with the number of objects
 * @throws EmulatedError 400 with code 1008 for an invalid parameter
 */
export function pageOf<T>(
  request: ResourceRequest,
  names: Readonly<Record<'root' | 'list' | 'count', string>>,
  items: readonly T[],
  membersOf: (item: T) => Members,
): Document {
  const { query, context } = request
  const limit = Number(query.get('limit') ?? DEFAULT_PAGE)
  if (!Number.isInteger(limit) || limit < 1)
    throw new EmulatedError('badParameter', 'Parameter limit must be a number')
  const size = Math.min(limit, MAX_PAGE)
  const marker = query.get('marker') ?? ''
  const start = marker === '' ? '0' : Buffer.from(marker, 'base64url').toString()
  if (!/^\d+$/.test(start)) throw new EmulatedError('badParameter', `Parameter marker is unknown: ${marker}`)
  const first = Number(start)
  const next = first + size
  const nextMarker = next < items.length ? Buffer.from(String(next)).toString('base64url') : undefined
  const page = items.slice(first, first + size)
  const link = `${context.path}?limit=${limit}&marker=${nextMarker}`
  return wrapped(request, names.root, {
    [names.list]: page.map(membersOf),
    [names.count]: page.length,
    Filter: 'name=*',
    NextMarker: nextMarker ?? '',
    NextPageLink: nextMarker === undefined ? undefined : link,
  })
}
