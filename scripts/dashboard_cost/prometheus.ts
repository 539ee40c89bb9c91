/** A series of a query result: labels, and points of [seconds since the epoch, value]. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>
  readonly points: readonly (readonly [time: number, value: number])[]
}

/** The time range of a page in seconds since the epoch, and the step in seconds. */
export interface Span {
  readonly from: number
  readonly to: number
  readonly step: number
}

export interface Prometheus {
  readonly instant: (expr: string, time: number) => Promise<Series[]>
  readonly range: (expr: string, span: Span) => Promise<Series[]>
}

type Pair = readonly [number, string]
interface Result {
  readonly metric: Readonly<Record<string, string>>
  readonly value?: Pair
  readonly values?: readonly Pair[]
}
interface Body {
  readonly status: string
  readonly error?: string
  readonly data?: { readonly resultType: string; readonly result: readonly Result[] }
}

/** A client of Prometheus' HTTP API. A failed query throws an error with Prometheus' message. */
export function prometheusAt(url: string): Prometheus {
  const query = async (path: string, parameters: Record<string, string>): Promise<Series[]> => {
    const response = await fetch(`${url.replace(/\/$/, '')}/api/v1/${path}`, {
      method: 'POST',
      body: new URLSearchParams(parameters),
    })
    const body = (await response.json()) as Body
    if (body.status !== 'success') throw new Error(body.error ?? `HTTP ${response.status}`)
    return (body.data?.result ?? []).map(toSeries)
  }
  return {
    instant: (expr, time) => query('query', { query: expr, time: String(time) }),
    range: (expr, { from, to, step }) =>
      query('query_range', { query: expr, start: String(from), end: String(to), step: String(step) }),
  }
}

function toSeries({ metric, value, values }: Result): Series {
  const pairs = values ?? (value ? [value] : [])
  return { labels: metric, points: pairs.map(([time, number]) => [time, Number(number)] as const) }
}
