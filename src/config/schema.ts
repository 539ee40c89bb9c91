import { z } from 'zod'
import type { AlertingConfig } from '../alerting/config.ts'
import { readTextFile } from '../values/files.ts'
import type { Config } from './config.ts'
import { historySection, SYSTEM_SECTIONS } from './sections.ts'
import { defaultsSchema, systemSchema } from './system_schema.ts'
import type { ReadText } from './values/readings.ts'
import { typeMessage } from './values/schema_problems.ts'

/**
 * Schema of the configuration file, whose systems have what they inherit. Converts it into {@link Config}: durations
 * become milliseconds, sizes become bytes, secret files are checked. Unknown keys are errors. Relative paths resolve
 * against `folder`.
 */
export function fileSchema(
  folder: string,
  alerting: z.ZodType<AlertingConfig>,
  read: ReadText = readTextFile,
): z.ZodType<Config> {
  // The sections of the file are checked here; their values are those of the systems that inherit them.
  return fileKeys(folder, alerting, read).transform(({ systems, history, alerting }) => ({
    systems,
    history,
    alerting,
  }))
}

function fileKeys(folder: string, alerting: z.ZodType<AlertingConfig>, read: ReadText) {
  return z.strictObject(
    {
      systems: z
        .array(systemSchema(folder, read), 'expected a list of systems')
        .min(1, 'needs at least one system'),
      defaults: defaultsSchema(folder, read).prefault({}),
      ...SYSTEM_SECTIONS,
      history: historySection.prefault({}),
      alerting: alerting.optional(),
    },
    typeMessage('expected a mapping with the key systems'),
  )
}

/** The keys of the file, without `alerting`. */
export const CONFIG_KEYS: readonly string[] = Object.keys(fileKeys('', z.never(), readTextFile).shape).filter(
  (key) => key !== 'alerting',
)
