import { validate, validateDetailed } from 'node-cron'
import { z } from 'zod'
import { nextTimes } from '../../values/schedule.ts'

const FIELDS = 6
/** The places of the day of the month and of the month among them. */
const [DAY, MONTH] = [3, 4]
/** node-cron expands a range before it checks its ends; no valid field has a number of three digits. */
const LONG_NUMBER = /\d{3}/

/** A cron expression of six fields that will run. */
export const cron = z.string('expected a cron expression').superRefine((expression, context) => {
  const problem = cronProblem(expression)
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
})

/** As {@link cron}, or empty: without a schedule. */
export const cronOrOff = z.union([z.literal(''), cron])

function cronProblem(expression: string): string | undefined {
  const meant = expressionEvery(expression.trim())
  if (meant !== undefined) return `this is a duration: write the cron expression "${meant}"`
  const reason = formProblem(expression)
  if (reason !== undefined) {
    return `not a cron expression of six fields (second minute hour day month weekday): ${reason}`
  }
  return hasNextRun(expression) ? undefined : 'this cron expression never runs: no date matches it'
}

/** Durations by their unit: how many of it the next unit has, and the fields around the field of the unit. */
const DURATIONS = [
  [/^(\d{1,2})s$/, 60, '', ' * * * * *'],
  [/^(\d{1,2})m$/, 60, '0 ', ' * * * *'],
  [/^(\d{1,2})h$/, 24, '0 0 ', ' * * *'],
] as const

/** `5m` → every five minutes. Undefined for other text, and for durations that no expression has. */
function expressionEvery(duration: string): string | undefined {
  for (const [form, most, before, after] of DURATIONS) {
    const count = Number(form.exec(duration)?.[1])
    const field = count === 1 ? '*' : count === most ? '0' : `*/${count}`
    if (most % count === 0) return `${before}${field}${after}`
  }
  return undefined
}

function formProblem(expression: string): string | undefined {
  if (LONG_NUMBER.test(expression)) return 'a number has more than two digits'
  // node-cron also accepts five fields, so a missing field would silently change the schedule.
  const fields = expression.split(/\s+/).filter((field) => field !== '')
  if (fields.length === FIELDS - 1) return `it has ${fields.length}; write 0 before them for second 0`
  if (fields.length !== FIELDS) return `it has ${fields.length}`
  if (validate(expression)) return undefined
  const { field, value } = validateDetailed(expression).errors[0] ?? {}
  // A day that none of the months has, such as 31 February, is valid in form.
  if (field === 'dayOfMonth' && validate(fields.with(MONTH, '*').join(' '))) return undefined
  const row = FIELD_VALUES.find(([name]) => name === field)
  if (row === undefined) return 'it has a field that is not valid'
  const step = String(value).includes('/') ? ', and a step is written */5 or 0-30/5' : ''
  return `the ${row[1]} must be ${row[2]}${step}`
}

/** The fields by their name in node-cron. */
const FIELD_VALUES = [
  ['second', 'second', 'from 0 to 59'],
  ['minute', 'minute', 'from 0 to 59'],
  ['hour', 'hour', 'from 0 to 23'],
  ['dayOfMonth', 'day', 'from 1 to 31'],
  ['month', 'month', 'from 1 to 12, or jan to dec'],
  ['dayOfWeek', 'weekday', 'from 0 to 7, or sun to sat'],
] as const

/** False for a date such as 31 February, or the weekday nearest to 30 February, for which node-cron throws. */
function hasNextRun(expression: string): boolean {
  // Only a day of the month can be missing, and the search for the next run is slow.
  if (expression.trim().split(/\s+/)[DAY] === '*') return true
  try {
    return nextTimes(expression, 1).length > 0
  } catch {
    return false
  }
}
