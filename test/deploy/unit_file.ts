export interface Setting {
  readonly section: string
  readonly key: string
  readonly value: string
}

/** Reads a unit file of systemd: the settings in their order, repeated ones included. */
export function parseUnit(text: string): readonly Setting[] {
  let section = ''
  return text.split('\n').flatMap((line) => {
    const heading = /^\[(\w+)\]$/.exec(line)
    if (heading !== null) section = heading[1] ?? ''
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? []
    return key === undefined || value === undefined ? [] : [{ section, key, value }]
  })
}

/** The values of all settings with this key. */
export function valuesOf(unit: readonly Setting[], key: string): readonly string[] {
  return unit.filter((setting) => setting.key === key).map(({ value }) => value)
}
