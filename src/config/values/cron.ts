import { validateDetailed } from 'node-cron'
import { z } from 'zod'
import { nextTimes } from '../../values/schedule.ts'

const FIELDS = 6
/** The place of the day of the month among them. */
const DAY = 3
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
  const fields = expression.trim().split(/\s+/)
  const reason = formProblem(expression, fields)
  if (reason !== undefined)
    return `not a cron expression of six fields (second minute hour day month weekday): ${reason}`
  return hasNextRun(expression, fields) ? undefined : 'this cron expression never runs: no date matches it'
}

function formProblem(expression: string, fields: readonly string[]): string | undefined {
  if (LONG_NUMBER.test(expression)) return 'a number has more than two digits'
  // node-cron also accepts five fields, so a missing field would silently change the schedule.
  if (fields.length === FIELDS - 1) return `it has ${fields.length}; write 0 before them for second 0`
  if (fields.length !== FIELDS) return `it has ${fields.length}`
  const [error] = validateDetailed(expression).errors
  if (error === undefined) return undefined
  const step = String(error.value).includes('/') ? '; a step is written */5 or 0-30/5' : ''
  return `the field ${error.field} is not valid${step}`
}

/** False for a date such as the weekday nearest to 30 February, for which node-cron throws. */
function hasNextRun(expression: string, fields: readonly string[]): boolean {
  // Only a day of the month can be missing, and the search for the next run is slow.
  if (fields[DAY] === '*') return true
  try {
    return nextTimes(expression, 1).length > 0
  } catch {
    return false
  }
}
