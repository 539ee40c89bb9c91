export interface Setting {
  readonly section: string
  readonly key: string
  readonly value: string
}

/** Parses a systemd unit file. Returns all settings in order, including repeated keys. */
export function parseUnit(text: string): readonly Setting[] {
  let section = ''
  return text.split('\n').flatMap((line) => {
    const heading = /^\[(\w+)\]$/.exec(line)
    if (heading !== null) section = heading[1] ?? ''
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? []
    return key === undefined || value === undefined ? [] : [{ section, key, value }]
  })
}

/** The values of all settings with this key, in order. */
export function valuesOf(unit: readonly Setting[], key: string): readonly string[] {
  return unit.filter((setting) => setting.key === key).map(({ value }) => value)
}
