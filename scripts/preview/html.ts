const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (char) => ENTITIES[char] ?? char)

/** The size of a drawing in pixels. */
export interface Box {
  readonly width: number
  readonly height: number
}

const channels = (background: string): [number, number, number] => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    Number.parseInt(background.slice(at, at + 2), 16),
  )
  return [red, green, blue]
}

/** The text colour that Grafana chooses for cells and tiles with a background `#rrggbb`. */
export function cellTextColor(background: string): string {
  const [red, green, blue] = channels(background)
  return (red * 299 + green * 587 + blue * 114) / 1000 > 180 ? '#202226' : '#f7f8fa'
}

/** The text colour that Grafana chooses on bands of state timelines: white where its contrast is 3 or more. */
export function bandTextColor(background: string): string {
  const [red, green, blue] = channels(background)
    .map((value) => value / 255)
    .map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)) as [
    number,
    number,
    number,
  ]
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05) >= 3 ? '#ffffff' : '#000000'
}

export const round = (value: number): number => Math.round(value * 10) / 10
