import type { ForecastConfig } from '../config/config.ts'
import { ApiError } from './errors.ts'

const MAX_ID_CHARACTERS = 256
/** Would lead to another resource, or out of the path, however it is encoded. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const UNSAFE_ID = /^\.+$|[/\\?#%\s\u0000-\u001f\u007f]/

/**
 * An id as a path segment. The id is opaque; colons, which URNs are full of, stay as they are.
 * @throws {ApiError} `local` for an id that cannot be one segment
 */
export function idSegment(id: string): string {
  if (id === '' || id.length > MAX_ID_CHARACTERS || UNSAFE_ID.test(id) || !id.isWellFormed()) {
    throw new ApiError(
      'local',
      'the id cannot be part of a path: it is empty, too long, or has a slash, % or blank',
    )
  }
  return encodeURIComponent(id).replaceAll('%3A', ':')
}

/** The nodes feed of a pool. API document, "Get nodes of a storage pool". */
export function nodesPath(poolId: string): string {
  return `/dashboard/storagepools/${idSegment(poolId)}/nodes`
}

export const CURRENT_QUERY = 'dataType=current'

/**
 * The query of the forecasts. Whether the braces of the document are meant literally is not known, so they are a
 * setting; both are percent-encoded, because some servers split queries at semicolons.
 */
export function forecastQuery({ timeFrames, targets, braces }: ForecastConfig): string {
  const list = (items: readonly (string | number)[]) => {
    const joined = items.join(';')
    return encodeURIComponent(braces ? `{${joined}}` : joined)
  }
  return `dataType=current&category=capacityForecast&cfTimeFrame=${list(timeFrames)}&cfTarget=${list(targets)}`
}
