import type { Panel, ValueMapping } from '@grafana/grafana-foundation-sdk/dashboard'
import { describe, expect, test } from 'vitest'
import { COLORS, PLAIN_COLORS, SERIES_COLORS } from '../../../grafana/mixin/colors.ts'
import { DISKS } from '../../../grafana/mixin/settings.ts'
import { PANELS, type Step } from './panels.ts'

/** Grafana's shades of the colours that are used by name, in the dark and in the light theme. */
const SHADES: Readonly<Record<string, readonly [dark: string, light: string]>> = {
  green: ['#73BF69', '#56A64B'],
  yellow: ['#FADE2A', '#F2CC0C'],
  'super-light-orange': ['#FFCB7D', '#FFB357'],
  orange: ['#FF9830', '#FF780A'],
  red: ['#F2495C', '#E02F44'],
  'dark-red': ['#C4162A', '#AD0317'],
  blue: ['#5794F2', '#3274D9'],
  'dark-blue': ['#1F60C4', '#1250B0'],
  purple: ['#B877D9', '#A352CC'],
  'dark-purple': ['#8F3BB8', '#7C2EA3'],
}
const shadesOf = (color: string): readonly string[] => SHADES[color] ?? [color, color]

const channels = (hex: string): number[] => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))

/** Relative luminance and contrast of WCAG 2. */
const luminance = (hex: string): number => {
  const [red = 0, green = 0, blue = 0] = channels(hex)
    .map((value) => value / 255)
    .map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
const contrast = (a: string, b: string): number => {
  const [darker = 0, lighter = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y)
  return (lighter + 0.05) / (darker + 0.05)
}

/** The colour of text that Grafana chooses in cells and tiles with this background. */
const cellText = (background: string): string => {
  const [red = 0, green = 0, blue = 0] = channels(background)
  return (red * 299 + green * 587 + blue * 114) / 1000 > 180 ? '#202226' : '#F7F8FA'
}
/** And on the bands of state timelines. */
const bandText = (background: string): string =>
  contrast('#FFFFFF', background) >= 3 ? '#FFFFFF' : '#000000'

const LOWEST_CONTRAST = 4.5

describe('backgrounds of text', () => {
  test.each(Object.entries(COLORS))('%s has sufficient contrast in both themes', (_, { fill }) => {
    for (const shade of shadesOf(fill)) {
      expect(contrast(cellText(shade), shade), shade).toBeGreaterThanOrEqual(LOWEST_CONTRAST)
      expect(contrast(bandText(shade), shade), shade).toBeGreaterThanOrEqual(LOWEST_CONTRAST)
    }
  })
})

test('lines and areas can be seen in both themes', () => {
  const PANEL_BACKGROUNDS = ['#181B1F', '#FFFFFF']
  for (const [name, color] of Object.entries(SERIES_COLORS))
    for (const background of PANEL_BACKGROUNDS)
      expect(contrast(color, background), `${name} on ${background}`).toBeGreaterThanOrEqual(3)
})

const overridesOf = (panel: Panel) =>
  (panel.fieldConfig?.overrides ?? []).flatMap(({ matcher, properties }) =>
    properties.map(({ id, value }) => ({ name: String(matcher.options), id, value })),
  )

const mappingColors = (mappings: readonly ValueMapping[] = []): { text: string; color: string }[] =>
  mappings.flatMap(({ options }) => {
    const results = 'result' in options ? [options.result] : Object.values(options)
    return (results as { text?: string; color?: string }[]).map(({ text = '', color = '' }) => ({
      text,
      color,
    }))
  })

/** Colours of thresholds and mappings, which stand behind text. */
const fillsOf = (panel: Panel): string[] => {
  const own = overridesOf(panel)
  const steps: readonly Step[] = [
    ...(panel.fieldConfig?.defaults.thresholds?.steps ?? []),
    ...own.filter(({ id }) => id === 'thresholds').flatMap(({ value }) => value.steps),
  ]
  const mappings = [
    ...(panel.fieldConfig?.defaults.mappings ?? []),
    ...own.filter(({ id }) => id === 'mappings').flatMap(({ value }) => value),
  ]
  return [...steps.map(({ color }) => color), ...mappingColors(mappings).map(({ color }) => color)]
}

describe('one meaning a colour', () => {
  const fills = new Set<string>([...Object.values(COLORS).map(({ fill }) => fill), PLAIN_COLORS.fill])
  const bars = new Set<string>([COLORS.warning.line, COLORS.critical.line, PLAIN_COLORS.bar])

  test('cells, tiles and bands have colours of states only', () => {
    for (const { panel, where } of PANELS.filter(({ panel }) => panel.type !== 'timeseries')) {
      const foreign = fillsOf(panel).filter((color) => !fills.has(color) && !bars.has(color))
      expect(foreign, where).toEqual([])
    }
  })

  test('a text has the same colour on every panel, apart from Good, which tables do not colour', () => {
    const seen = new Map<string, Set<string>>()
    for (const { panel } of PANELS) {
      const mappings = [
        ...(panel.fieldConfig?.defaults.mappings ?? []),
        ...overridesOf(panel)
          .filter(({ id }) => id === 'mappings')
          .flatMap(({ value }) => value as ValueMapping[]),
      ]
      for (const { text, color } of mappingColors(mappings)) {
        if (color !== PLAIN_COLORS.fill) seen.set(text, (seen.get(text) ?? new Set()).add(color))
      }
    }
    expect([...seen].filter(([, colors]) => colors.size > 1).map(([text]) => text)).toEqual([
      // A bad node means to act now; the data of a disk is rebuilt elsewhere.
      'Bad',
    ])
    expect(seen.size).toBeGreaterThan(10)
  })

  const fixed = PANELS.flatMap(({ panel, where }) =>
    overridesOf(panel)
      .filter(({ id }) => id === 'color')
      .map(({ name, value }) => ({ where, name, color: String(value.fixedColor) })),
  )

  test('a series has the same colour on every panel', () => {
    const seen = new Map<string, Set<string>>()
    for (const { name, color } of fixed) seen.set(name, (seen.get(name) ?? new Set()).add(color))
    expect([...seen].filter(([, colors]) => colors.size > 1).map(([name]) => name)).toEqual([])
    expect(seen.size).toBeGreaterThan(15)
  })

  test('colours of series are no colours of states, but for states and recovery', () => {
    const states = new Set<string>(Object.values(COLORS).flatMap(({ fill, line }) => [fill, line]))
    const named = [...Object.keys(DISKS), 'recovery']
    const wrong = fixed.filter(({ name, color }) => states.has(color) && !named.includes(name))
    expect(wrong.map(({ where, name }) => `${where}: ${name}`)).toEqual([])
  })
})
