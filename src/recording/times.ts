import { MS_PER_SECOND, SECONDS_PER_DAY } from '../time_units.ts'

/** Times in bodies, which a replay moves. */

/** Members with a time: seconds since the epoch, milliseconds, RFC 3339 also without zone, or a date. */
export const TIME_MEMBERS: ReadonlySet<string> = new Set(
  `t sample_time uptodate_till sample_start_time sample_end_time replicationRpoTimestamp
  replicationRepoChunksRpoTimestamp replicationJournalChunksRpoTimestamp created creation_time timestamp issued_date
  expiration_date last_login_time _start _stop _time`.split(/\s+/),
)

/** Larger numbers are milliseconds. */
const MAX_SECONDS = 1e11

/** The body with its times moved by whole seconds. Everything else stays. @param isTime whether its member has a time */
export function shiftTimes(value: unknown, seconds: number, isTime = false): unknown {
  if (seconds === 0) return value
  if (Array.isArray(value)) return value.map((item) => shiftTimes(item, seconds))
  if (isTime && (typeof value === 'string' || typeof value === 'number')) return shiftTime(value, seconds)
  if (typeof value !== 'object' || value === null) return value
  const columns = 'Columns' in value && Array.isArray(value.Columns) ? value.Columns.map(String) : undefined
  const cells = (row: unknown) =>
    Array.isArray(row)
      ? row.map((cell, index) => shiftTimes(cell, seconds, TIME_MEMBERS.has(columns?.[index] ?? '')))
      : row
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      // Rows of a table of the Flux API.
      if (name === 'Values' && columns !== undefined && Array.isArray(inner)) return [name, inner.map(cells)]
      return [name, shiftTimes(inner, seconds, TIME_MEMBERS.has(name.trim()))]
    }),
  )
}

/** A time in the notation that it had, but without an exponent. */
function shiftTime(time: string | number, seconds: number): string | number {
  if (typeof time === 'number') return shiftNumber(time, seconds)
  const text = time.trim()
  if (/^\d{1,16}(\.\d{0,20})?(e\+?\d{1,2})?$/i.test(text)) return String(shiftNumber(Number(text), seconds))
  if (/^\d\d\/\d\d\/\d{4}$/.test(text)) return shiftDate(text, seconds)
  const [, whole = '', rest = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)(.*)$/.exec(text) ?? []
  const ms = Date.parse(`${whole}Z`)
  if (Number.isNaN(ms)) return time
  return `${new Date(ms + seconds * MS_PER_SECOND).toISOString().slice(0, whole.length)}${rest}`
}

/** 0 and less are no times. */
function shiftNumber(time: number, seconds: number): number {
  if (time <= 0) return time
  return time > MAX_SECONDS ? time + seconds * MS_PER_SECOND : time + seconds
}

/** `MM/dd/yyyy`, by whole days. */
function shiftDate(text: string, seconds: number): string {
  const [month, day, year] = text.split('/').map(Number)
  const days = Math.floor(seconds / SECONDS_PER_DAY)
  const ms = Date.UTC(year ?? 0, (month ?? 1) - 1, (day ?? 1) + days)
  if (Number.isNaN(ms)) return text
  const [shiftedYear, shiftedMonth, shiftedDay] = new Date(ms).toISOString().slice(0, 10).split('-')
  return `${shiftedMonth}/${shiftedDay}/${shiftedYear}`
}
