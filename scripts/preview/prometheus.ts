/** A series of an answer: labels, and points of [seconds since the epoch, value]. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>
  readonly points: readonly (readonly [time: number, value: number])[]
}

/** The span that a page shows, in seconds since the epoch, and the distance of points. */
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

/** The part of Prometheus' HTTP API that the preview needs; a refused query is an error in Prometheus' words. */
export function prometheusAt(url: string): Prometheus {
  const ask = async (path: string, parameters: Record<string, string>): Promise<Series[]> => {
    const answer = await fetch(`${url.replace(/\/$/, '')}/api/v1/${path}`, {
      method: 'POST',
      body: new URLSearchParams(parameters),
    })
    const body = (await answer.json()) as Body
    if (body.status !== 'success') throw new Error(body.error ?? `HTTP ${answer.status}`)
    return (body.data?.result ?? []).map(toSeries)
  }
  return {
    instant: (query, time) => ask('query', { query, time: String(time) }),
    range: (query, { from, to, step }) =>
      ask('query_range', { query, start: String(from), end: String(to), step: String(step) }),
  }
}

function toSeries({ metric, value, values }: Result): Series {
  const pairs = values ?? (value ? [value] : [])
  return { labels: metric, points: pairs.map(([time, number]) => [time, Number(number)] as const) }
}
