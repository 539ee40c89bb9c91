const FACTORS = { '': 1, K: 1e3, M: 1e6 } as const

/** The number of samples that a dry run announces, such as `12.3K`. */
export function announcedSamples(stdout: string): number {
  const [, count, unit = ''] = /samples: {2}([\d.]+)([KM]?) at most/.exec(stdout) ?? []
  return Number(count) * FACTORS[unit as keyof typeof FACTORS]
}
