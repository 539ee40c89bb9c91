/** A dashboard in Grafana's classic JSON model. */
export type Dashboard = {
  readonly uid: string
  readonly title: string
  readonly panels?: readonly Panel[]
  readonly templating?: { readonly list?: readonly { readonly name: string }[] }
} & Readonly<Record<string, unknown>>

export interface Panel {
  readonly panels?: readonly Panel[]
  readonly targets?: readonly Readonly<Record<string, unknown>>[]
  readonly fieldConfig?: {
    readonly defaults: {
      readonly thresholds?: { readonly steps: readonly Step[] }
      readonly custom?: { readonly thresholdsStyle?: { readonly mode: string } }
    }
    readonly overrides: readonly FieldOverride[]
  }
}

interface Step {
  readonly value: string | number | null
  readonly color: string
}

export interface FieldOverride {
  readonly matcher: { readonly id: string; readonly options?: unknown }
  readonly properties: readonly object[]
}

/** The dashboard or row with its panels changed, also those in rows. */
export function withPanels<Part extends Pick<Panel, 'panels'>>(
  part: Part,
  change: (panel: Panel) => Panel,
): Part {
  const { panels } = part
  return panels === undefined
    ? part
    : { ...part, panels: panels.map((panel) => change(withPanels(panel, change))) }
}
