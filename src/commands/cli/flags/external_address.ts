import { isLoopback, parseListenAddress } from '../../../values/listen_address.ts'

/**
 * Where clients reach the listener for metrics, `HOST:PORT`, if its port is published under another address. The image
 * sets this variable, because a container cannot know the address; compose.yaml has its own.
 */
const VARIABLE = 'SDS_EXTERNAL_ADDRESS'

/** The value of the image. */
const UNKNOWN = 'HOST:PORT'

/** The address, of the form `HOST:PORT`; undefined: listeners are reached at the addresses that they listen on. */
export function externalAddress(environment: NodeJS.ProcessEnv): string | undefined {
  return environment[VARIABLE] || undefined
}

export type ReachableUrl = NonNullable<ReturnType<typeof reachableUrl>>

/** Undefined if clients cannot reach it: loopback addresses of a container are its own. */
export function reachableUrl(
  url: string,
  listenAddress: string | undefined,
  external: string | undefined,
): { readonly url: string; readonly note?: string } | undefined {
  if (external === undefined) return { url }
  if (listenAddress !== undefined && isLoopback(parseListenAddress(listenAddress).host)) return undefined
  const { protocol, port } = new URL(url)
  const note = `HOST:PORT is the address to which port ${port} of the container is published.`
  return { url: `${protocol}//${external}`, ...(external === UNKNOWN && { note }) }
}
