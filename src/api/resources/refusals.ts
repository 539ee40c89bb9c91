import { RESOURCES, type ResourceName, type ResourceRow } from '../../system_catalogue.ts'
import { ApiError } from '../errors/errors.ts'
import { REASONS } from '../errors/reasons.ts'

/** Whether the system does not serve what was requested, or the account lacks the role. */
export function isNotAvailable(failure: unknown): failure is ApiError {
  return failure instanceof ApiError && REASONS[failure.reason].notAvailable === true
}

/** A system that restarts or is upgraded has these refusals for a short time. */
const REFUSALS_ALLOWED = 2
const PAUSE_MS = 3_600_000

/** Sends each request that was refused three times in a row only every hour. */
export type RefusalMemory = ReturnType<typeof createRefusalMemory>

/** @param now monotonic clock in milliseconds */
export function createRefusalMemory(now: () => number) {
  const refused = new Map<string, { failure: ApiError; inRow: number; untilMs: number }>()

  function note(key: string, failure: ApiError): void {
    const inRow = (refused.get(key)?.inRow ?? 0) + 1
    const untilMs = inRow > REFUSALS_ALLOWED ? now() + PAUSE_MS : Number.NEGATIVE_INFINITY
    refused.set(key, { failure, inRow, untilMs })
  }

  return {
    /** @throws {ApiError} that of the task; of the last one while nothing is sent */
    async run<T>(key: string, task: () => Promise<T>): Promise<T> {
      const last = refused.get(key)
      if (last !== undefined && now() < last.untilMs) throw last.failure
      try {
        const result = await task()
        refused.delete(key)
        return result
      } catch (failure) {
        if (isNotAvailable(failure)) note(key, failure)
        throw failure
      }
    },
  }
}

/** The failure, with the remedy of a resource. */
export function withResourceRemedy(failure: ApiError, resource: ResourceName): ApiError {
  if (!isNotAvailable(failure)) return failure
  const { isOfPolls, isQueried, section }: ResourceRow = RESOURCES[resource]
  const end = isOfPolls || isQueried ? undefined : `set ${section ?? `resources.${resource}`}.schedule: ""`
  const isForbidden = failure.reason === 'forbidden'
  const choices = isForbidden
    ? [failure.remedy, end]
    : ['none if this release does not have it', end && `${end} to end the requests`]
  const remedy = choices.filter((text) => text !== undefined).join(isForbidden ? ', or ' : '; ')
  return failure.with({ remedy })
}
