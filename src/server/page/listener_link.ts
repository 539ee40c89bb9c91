import type { Context } from 'koa'
import { isLoopback } from '../../values/listen_address.ts'
import { type Html, html } from './html.ts'

const WILDCARDS = /^(localhost|0\.0\.0\.0|\[::\])$/
const HOST_NAME = /^[\w.-]+$/

/** A link to the page of another listener. One that listens on all addresses is reachable under the name of the request. */
export function listenerLink({ hostname: host }: Context, listenerUrl: string, text: string): Html {
  const url = new URL(listenerUrl)
  if (WILDCARDS.test(url.hostname) && host !== '') url.hostname = host
  const isReachable = !isLoopback(url.hostname) || isLoopback(host) || !HOST_NAME.test(host)
  const { port, hostname } = url
  const tunnel = html` <span class="quiet">(on ${host} only; from here after <code>ssh -L ${port}:${hostname}:${port} ${host}</code>)</span>`
  return html`<a href="${url.href}">${text}</a>${isReachable ? undefined : tunnel}`
}
