import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { untilAborted } from '../../../api/http/deadline.ts'
import { type Finding, failed, failuresAsWarnings, filled } from '../check/check.ts'
import { systemCheck } from '../check/system_facts.ts'

/** Resolves the host names of the base URLs, as connections do, including /etc/hosts. */
export const namesCheck = systemCheck({
  title: 'names',
  needs: [],
  gives: ['resolved'],
  run: async ({ system: { baseUrls }, signal }) => {
    const hosts = [...new Set(baseUrls.map(hostOf))]
    const findings = await Promise.all(hosts.map((host) => resolve(host, signal)))
    const unknown = hosts.filter((_, index) => findings[index]?.status === 'fail')
    const resolved = baseUrls.filter((baseUrl) => !unknown.includes(hostOf(baseUrl)))
    return { findings: failuresAsWarnings(findings), facts: { resolved: filled(resolved) } }
  },
})

/** The host of a URL, without the brackets of an IPv6 address. */
export function hostOf(baseUrl: string): string {
  return new URL(baseUrl).hostname.replace(/^\[|\]$/g, '')
}

async function resolve(subject: string, signal: AbortSignal): Promise<Finding> {
  if (isIP(subject) !== 0) return { status: 'ok', subject, text: 'IP address, no lookup needed' }
  try {
    const addresses = await untilAborted(lookup(subject, { all: true }), signal)
    return { status: 'ok', subject, text: addresses.map(({ address }) => address).join(', ') }
  } catch (failure) {
    signal.throwIfAborted()
    return failed(failure, { subject })
  }
}
