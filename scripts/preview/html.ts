const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (char) => ENTITIES[char] ?? char)

/** The size of a drawing in pixels. */
export interface Box {
  readonly width: number
  readonly height: number
}

/** Black or white, with sufficient contrast to a background `#rrggbb`. */
export function textColorOn(background: string): string {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => Number.parseInt(background.slice(at, at + 2), 16))
  return r * 0.3 + g * 0.6 + b * 0.1 > 140 ? '#111217' : '#ffffff'
}

export const round = (value: number): number => Math.round(value * 10) / 10
