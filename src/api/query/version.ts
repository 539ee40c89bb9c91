import { isObject, member, readText } from '../parse/json.ts'

/** The only resource with the version of the system. */
export const VERSION_PATH = '/vdc/nodes'

/** The versions of the nodes, of which an upgrade leaves several; empty if the answer has none. */
export function decodeVersions(body: unknown): readonly string[] {
  const list = isObject(body) ? member(body, 'node') : undefined
  const nodes = Array.isArray(list) ? list : [list]
  const versions = nodes.map((node) => (isObject(node) ? readText(member(node, 'version')) : undefined))
  return [...new Set(versions.filter((version) => version !== undefined))]
}

/**
 * Whether ranges have wrong values: totals and points outside of the range (KB 000211906). Fixed in 3.8.1.
 * While nodes of several versions are mixed, the oldest decides.
 */
export function hasRangeDefect(versions: readonly string[]): boolean {
  return versions.some((version) => /^3\.(7|8\.0)(\.|$)/.test(version))
}
