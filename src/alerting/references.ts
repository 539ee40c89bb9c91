/**
 * References to settings in expressions, texts and dashboards: `<<usedRatio.warning>>`. They are replaced by values when
 * files are written, so that the same sources serve every user. `<<` occurs neither in PromQL nor in templates.
 */

export interface Levels<Value> {
  readonly warning: Value
  readonly critical: Value
}

export type ReferenceRow = { readonly value: number } | Levels<number>
export const valuesOf = (rows: Readonly<Record<string, ReferenceRow>>): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(rows).flatMap(([name, row]) =>
      'value' in row
        ? [[name, row.value]]
        : [
            [`${name}.warning`, row.warning],
            [`${name}.critical`, row.critical],
          ],
    ),
  )

const WHOLE = /^(-?)<<([\w.]+)>>$/
const PART = /<<([\w.]+)>>/g

export const pathsIn = (text: string): string[] => [...text.matchAll(PART)].map(([, path = '']) => path)

/** Values of settings by their path, e.g. `usedRatio.warning`: numbers, or texts such as the name of a job. */
export type SettingValues = Readonly<Record<string, number | string>>

/** The data with every reference replaced. @throws for a reference to a setting that does not exist */
export function resolve<Data>(data: Data, values: SettingValues): Data {
  return resolved(data, values) as Data
}

function resolved(data: unknown, values: SettingValues): unknown {
  if (typeof data === 'string') return resolvedText(data, values)
  if (Array.isArray(data)) return data.map((item) => resolved(item, values))
  if (typeof data !== 'object' || data === null) return data
  return Object.fromEntries(Object.entries(data).map(([key, member]) => [key, resolved(member, values)]))
}

function resolvedText(text: string, values: SettingValues): string | number {
  const [, sign, path] = WHOLE.exec(text) ?? []
  const whole = path === undefined ? undefined : valueAt(path, values)
  if (typeof whole === 'number') return sign === '-' ? -whole : whole
  return text.replaceAll(PART, (_, name: string) => String(valueAt(name, values)))
}

function valueAt(path: string, values: SettingValues): number | string {
  const value = values[path]
  if (value === undefined) throw new Error(`there is no setting ${path}`)
  return value
}

/**
 * Texts with references in JSON, by JSON pointer (RFC 6901). The package has dashboards with the default settings and
 * this list, so that it needs no second copy of them.
 */
export type Pointers = Readonly<Record<string, string>>

/** A copy of the data with the texts at their pointers. @throws for a place that the data does not have */
export function withTexts<Data>(data: Data, pointers: Pointers): Data {
  const copy = structuredClone(data)
  for (const [pointer, text] of Object.entries(pointers)) {
    const keys = pointer
      .split('/')
      .slice(1)
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    const last = keys.pop() ?? ''
    const parent = keys.reduce<unknown>(memberOf, copy)
    if (memberOf(parent, last) === undefined) throw new Error(`the data has no ${pointer}`)
    Object.assign(parent as object, { [last]: text })
  }
  return copy
}

function memberOf(data: unknown, key: string): unknown {
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>)[key] : undefined
}
