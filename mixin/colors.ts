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
  /** To be looked at today. */
  warning: { fill: 'yellow', line: 'yellow' },
  /** Out of service, but covered by redundancy: a node, a disk, and the recovery of its data. */
  failed: { fill: 'super-light-orange', line: 'orange' },
  /** Needs a person now. */
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
  /** Of bars. */
  bar: '#447EBC',
  /** Text, and lines to compare with. */
  text: 'text',
} as const

/**
 * Lines and areas that several panels show under one name. Lines named after systems, pools or nodes have the colours
 * of Grafana's palette, which only tell them apart.
 */
export const SERIES_COLORS = {
  reads: '#65C5DB',
  writes: '#D683CE',
  received: '#96D98D',
  transmitted: '#F9BA8F',
  userErrors: '#B7DBAB',
  systemErrors: '#EA6460',
  userTraffic: '#447EBC',
  erasureCoding: '#70DBED',
  geoReplication: '#806EB7',
  consistencyCheck: '#629E51',
  xor: '#DEDAF7',
  allocated: '#1F78C1',
  free: '#7EB26D',
  reserved: '#967302',
  now: '#E0752D',
  dayBefore: '#5195CE',
  weekBefore: '#AEA2E0',
  percentile: '#F2C96D',
  worst: '#F29191',
  slowRequests: '#E5A8E2',
} as const
