/** Units of settings, by the end of their name. */
const UNITS = ['Ratio', 'Seconds', 'Percent'] as const
export type SettingUnit = (typeof UNITS)[number] | 'Count'

export const unitOf = (name: string): SettingUnit => UNITS.find((unit) => name.endsWith(unit)) ?? 'Count'

/** The key of a setting in the configuration, e.g. `used_ratio`. Values of durations have a unit, their keys have none. */
export const keyOf = (name: string): string =>
  name.replace(/Seconds$/, '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
