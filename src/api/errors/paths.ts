import type { ForecastConfig } from '../../config/config.ts'
import { idProblem } from '../../values/ids.ts'
import { ApiError } from './errors.ts'

/**
 * An id as a path segment. Colons are not encoded, because ids may be URNs.
 * @throws {ApiError} `local` for an id that cannot be one segment
 */
export function idSegment(id: string): string {
  const problem = idProblem(id)
  if (problem !== undefined) throw new ApiError('local', `the id ${problem}`)
  return encodeURIComponent(id).replaceAll('%3A', ':')
}

/** The dashboard API of a pool. API document, "Get nodes of a storage pool". */
export function nodesPath(poolId: string): string {
  return `/dashboard/storagepools/${idSegment(poolId)}/nodes`
}

export const CURRENT_QUERY = 'dataType=current'

/** How a query for forecasts begins. It is not documented whether `dataType=current` includes them. */
export const FORECAST_FORMS = ['', `${CURRENT_QUERY}&`] as const
export type ForecastForm = (typeof FORECAST_FORMS)[number]

/**
 * What one request asks for. A node has no forecast of any time frame of a request if its usage falls in one of them, so
 * each is requested alone.
 */
export interface ForecastRequest extends Pick<ForecastConfig, 'targets' | 'braces'> {
  readonly timeFrame: string
}

/**
 * The query of the forecasts. Whether the braces of the document are meant literally is not known, so they are a
 * setting; both are percent-encoded, because some servers split queries at semicolons.
 */
export function forecastQuery({ timeFrame, targets, braces }: ForecastRequest, form: ForecastForm): string {
  const list = (items: readonly (string | number)[]) => {
    const joined = items.join(';')
    return encodeURIComponent(braces ? `{${joined}}` : joined)
  }
  return `${form}category=capacityForecast&cfTimeFrame=${list([timeFrame])}&cfTarget=${list(targets)}`
}
