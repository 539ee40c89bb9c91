import { createTask, validate, validateDetailed } from 'node-cron'
import { z } from 'zod'

const FIELDS = 6
/** node-cron expands a range before it checks its ends; no valid field has a number of three digits. */
const LONG_NUMBER = /\d{3}/

/** A cron expression of six fields that will run. */
export const cron = z.string('expected a cron expression').superRefine((expression, context) => {
  const problem = cronProblem(expression)
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
})

function cronProblem(expression: string): string | undefined {
  const reason = formProblem(expression)
  if (reason !== undefined) {
    return `not a cron expression of six fields (second minute hour day month weekday): ${reason}`
  }
  return hasNextRun(expression) ? undefined : 'this cron expression never runs: no date matches it'
}

function formProblem(expression: string): string | undefined {
  if (LONG_NUMBER.test(expression)) return 'a number has more than two digits'
  // node-cron also accepts five fields, so a missing field would silently change the schedule.
  const fields = expression.trim().split(/\s+/).length
  if (fields === FIELDS && validate(expression)) return undefined
  return validateDetailed(expression).errors[0]?.message ?? `it has ${fields}`
}

/** False for a date such as the weekday nearest to 30 February, for which node-cron throws. */
function hasNextRun(expression: string): boolean {
  const task = createTask(expression, () => undefined)
  try {
    return task.getNextRuns(1).length > 0
  } catch {
    return false
  } finally {
    task.destroy()
  }
}
