import { ApiError } from '../../errors/errors.ts'
import { asList, isObject, member, readText } from '../../parse/json.ts'

/** The only resource with the version of the system. */
export const VERSION_PATH = '/vdc/nodes'

/** The versions of the nodes, of which an upgrade leaves several; empty if the answer has none. */
export function decodeVersions(body: unknown): readonly string[] {
  const list = isObject(body) ? member(body, 'node') : undefined
  const versions = asList(list).map((node) =>
    isObject(node) ? readText(member(node, 'version')) : undefined,
  )
  return [...new Set(versions.filter((version) => version !== undefined))]
}

/**
 * Whether ranges have wrong values: totals and points outside of the range (KB 000211906). Fixed in 3.8.1.
 * While nodes of several versions are mixed, the oldest decides.
 */
export function hasRangeDefect(versions: readonly string[]): boolean {
  return versions.some((version) => /^3\.(7|8\.0)(\.|$)/.test(version))
}

type SendVersion = (
  request: { readonly operation: 'version'; readonly path: string },
  decode: (body: unknown) => readonly string[],
  signal: AbortSignal,
) => Promise<readonly string[]>

/** {@link hasRangeDefect} of a system; undefined if its version cannot be read. */
export async function readRangeDefect(send: SendVersion, signal: AbortSignal): Promise<boolean | undefined> {
  const versions = await readVersions(send, signal)
  return versions && hasRangeDefect(versions)
}

/** The versions of the nodes of a system, at least one; undefined if they cannot be read. */
export async function readVersions(
  send: SendVersion,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  try {
    const request = { operation: 'version', path: VERSION_PATH } as const
    const versions = await send(request, decodeVersions, signal)
    return versions.length === 0 ? undefined : versions
  } catch (failure) {
    if (failure instanceof ApiError && !signal.aborted) return undefined
    throw failure
  }
}
