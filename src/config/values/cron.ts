import { validate, validateDetailed } from 'node-cron'
import { z } from 'zod'

const CRON_FIELDS = 6

/** A cron expression of six fields. */
export const cron = z.string('expected a cron expression').superRefine((expression, context) => {
  // node-cron also accepts five fields, so a missing field would silently change the schedule.
  const fields = expression.trim().split(/\s+/).length
  if (fields === CRON_FIELDS && validate(expression)) return
  const [first] = validateDetailed(expression).errors
  const reason = first === undefined ? `it has ${fields}` : first.message
  context.addIssue({
    code: 'custom',
    message: `not a cron expression of six fields (second minute hour day month weekday): ${reason}`,
  })
})
