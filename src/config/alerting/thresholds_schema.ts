import { z } from 'zod'
import type { Values } from '../../alerting/references.ts'
import {
  keyOf,
  type SettingSource,
  type SettingSources,
  type SettingUnit,
  unitOf,
} from '../../alerting/sources.ts'
import { MS_PER_SECOND } from '../../time_units.ts'
import { typeMessage } from '../values/schema_problems.ts'
import { duration, numeric, percent } from '../values/units.ts'

const NUMBERS = {
  Seconds: duration.transform((ms) => ms / MS_PER_SECOND),
  Ratio: numeric.refine((value) => value >= 0 && value <= 1, 'expected a ratio from 0 to 1'),
  Percent: percent,
  Count: numeric.refine((value) => value >= 0, 'must not be negative'),
} as const satisfies Record<SettingUnit, z.ZodType<number>>

/** Values of settings by the keys of users; the result has them by path. */
export function thresholdsSchema(settings: SettingSources) {
  const keys = Object.entries(settings).map(([name, setting]) => [
    keyOf(name),
    settingSchema(name, setting).optional(),
  ])
  const shape = Object.fromEntries(keys) as Record<string, z.ZodOptional<z.ZodType<Values>>>
  return z
    .strictObject(shape, typeMessage('expected a mapping of thresholds'))
    .transform((file): Values => Object.assign({}, ...Object.values(file)))
}

function settingSchema(name: string, setting: SettingSource): z.ZodType<Values> {
  const number = NUMBERS[unitOf(name)]
  if ('value' in setting) return number.transform((value) => ({ [name]: value }))
  return z
    .strictObject(
      { warning: number.optional(), critical: number.optional() },
      typeMessage('expected a mapping with the keys warning and critical'),
    )
    .transform(({ warning, critical }) => ({
      ...(warning !== undefined && { [`${name}.warning`]: warning }),
      ...(critical !== undefined && { [`${name}.critical`]: critical }),
    }))
}
