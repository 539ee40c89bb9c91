import { z } from 'zod'

/** A regular expression for whole names. */
export const expression = z.string('expected a regular expression').superRefine((text, context) => {
  try {
    new RegExp(`^(?:${text})$`)
  } catch {
    context.addIssue({ code: 'custom', message: 'not a regular expression' })
  }
})
