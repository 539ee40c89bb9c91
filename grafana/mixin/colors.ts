/**
 * What colours mean, the same on all dashboards. A colour has two shades: `fill` behind text, where the text colour that
 * Grafana chooses has a contrast of at least 4.5 in the dark and the light theme, and `line` for lines and areas.
 */
interface Color {
  readonly fill: string
  readonly line: string
}

export const COLORS = {
  good: { fill: '#2B7A21', line: 'green' },
  /** Planned work, or for information. */
  planned: { fill: 'dark-blue', line: 'blue' },
  /** Needs attention today. */
  warning: { fill: 'yellow', line: 'yellow' },
  /** Out of service, but covered by redundancy: a node, a disk, and the recovery of its data. */
  failed: { fill: 'super-light-orange', line: 'orange' },
  /** Act now. */
  critical: { fill: 'dark-red', line: 'red' },
  unknown: { fill: 'dark-purple', line: 'purple' },
  /** Time without data, where it is drawn. */
  noData: { fill: '#464C54', line: '#464C54' },
} as const satisfies Record<string, Color>
export type StateColor = keyof typeof COLORS

/** Values that are neither good nor bad, and values below the first threshold. */
export const PLAIN_COLORS = {
  /** Behind text: the background of the panel. */
  fill: 'transparent',
  /** The colour of bars. */
  bar: '#447EBC',
  /** Text, and lines to compare with. */
  text: 'text',
} as const

/**
 * Lines and areas that several panels show under one name, with a contrast of at least 3 to the background of panels in
 * both themes. Lines named after systems, pools or nodes have the colours of Grafana's palette, which only tell them
 * apart.
 */
export const SERIES_COLORS = {
  reads: '#2F93A8',
  writes: '#C266B8',
  received: '#4E9A50',
  transmitted: '#CF7A3E',
  userErrors: '#4F9488',
  systemErrors: '#EA6460',
  userTraffic: '#447EBC',
  erasureCoding: '#1B9A9A',
  geoReplication: '#806EB7',
  consistencyCheck: '#629E51',
  xor: '#B57AA6',
  allocated: '#1F78C1',
  free: '#5F9C4E',
  reserved: '#967302',
  now: '#E0752D',
  dayBefore: '#5195CE',
  weekBefore: '#9482D6',
  percentile: '#B5852B',
  worst: '#DE6A73',
  slowRequests: '#B56FCB',
} as const
