import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { untilAborted } from '../../../api/http/deadline.ts'
import { eased, type Finding } from '../check/check.ts'
import { failed } from '../check/remedies.ts'
import { systemCheck } from '../check/system_facts.ts'

/** As the system resolves it for connections, /etc/hosts included. */
export const namesCheck = systemCheck({
  title: 'names',
  needs: [],
  run: async ({ system: { baseUrls }, signal }) => {
    const hosts = [...new Set(baseUrls.map(hostOf))]
    const findings = await Promise.all(hosts.map((host) => resolve(host, signal)))
    const unknown = hosts.filter((_, index) => findings[index]?.status === 'fail')
    const resolved = baseUrls.filter((baseUrl) => !unknown.includes(hostOf(baseUrl)))
    return {
      findings: eased(findings),
      ...(resolved.length > 0 && { facts: { resolved } }),
    }
  },
})

/** The host of a URL, without the brackets of an IPv6 address. */
export function hostOf(baseUrl: string): string {
  return new URL(baseUrl).hostname.replace(/^\[|\]$/g, '')
}

async function resolve(subject: string, signal: AbortSignal): Promise<Finding> {
  if (isIP(subject) !== 0)
    return { status: 'ok', subject, text: 'is an address, there is nothing to look up' }
  try {
    const addresses = await untilAborted(lookup(subject, { all: true }), signal)
    return { status: 'ok', subject, text: addresses.map(({ address }) => address).join(', ') }
  } catch (failure) {
    signal.throwIfAborted()
    return failed(failure, { subject })
  }
}
