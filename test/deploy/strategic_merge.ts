export type Mapping = { readonly [key: string]: unknown }

/** By which member elements of a list are the same, after the API of Kubernetes; other lists are replaced. */
const MERGE_KEYS: Readonly<Record<string, string>> = {
  containers: 'name',
  env: 'name',
  volumes: 'name',
  volumeMounts: 'mountPath',
  topologySpreadConstraints: 'topologyKey',
}

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Kubernetes' strategic merge, without its directives: maps are merged, null removes, some lists are joined. */
export function strategicMerge(base: unknown, patch: unknown, key = ''): unknown {
  if (Array.isArray(base) && Array.isArray(patch) && key in MERGE_KEYS) {
    return mergeLists(base, patch, MERGE_KEYS[key] ?? '')
  }
  if (!isMapping(base) || !isMapping(patch)) return patch
  if (Object.keys(patch).some((name) => name.startsWith('$')))
    throw new Error('directives are not understood')
  const merged = { ...base }
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name]
    else merged[name] = name in base ? strategicMerge(base[name], value, name) : value
  }
  return merged
}

function mergeLists(base: readonly Mapping[], patch: readonly Mapping[], key: string): Mapping[] {
  const merged = base.map((element) => {
    const change = patch.find((other) => other[key] === element[key])
    return change === undefined ? element : (strategicMerge(element, change) as Mapping)
  })
  return [...merged, ...patch.filter((element) => !base.some((other) => other[key] === element[key]))]
}
