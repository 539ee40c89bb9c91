import { HEALTH_STATES } from '../../../catalogue.ts'
import type { Finding } from '../check/check.ts'
import { type RawFeed, systemCheck } from '../check/system_facts.ts'

/** Checks that the health states of all nodes are known. The command nodes shows the states. */
export const healthCheck = systemCheck({
  title: 'health',
  needs: ['feeds'],
  run: (_, { feeds }) => ({
    findings: feeds.filter(({ reading }) => reading.nodes.length > 0).map(healthOf),
  }),
})

const MAX_NAMED_NODES = 3

function healthOf({ label: subject, reading: { nodes } }: RawFeed): Finding {
  const counts = new Map<string, number>()
  for (const { health = 'missing' } of nodes) counts.set(health, (counts.get(health) ?? 0) + 1)
  const text = [...counts].map(([status, count]) => `${count} ${status}`).join(', ')
  const unknown = nodes.filter(({ health }) => !HEALTH_STATES.some((state) => state === health))
  if (unknown.length === 0) return { status: 'ok', subject, text }
  const names = unknown.slice(0, MAX_NAMED_NODES).map(({ id, name }) => name ?? id)
  return {
    status: 'warn',
    subject,
    text: `${text}: unknown or missing health status of ${names.join(', ')}${unknown.length > MAX_NAMED_NODES ? ', …' : ''}`,
    remedy: 'check these nodes in the management interface, and report the unknown status',
  }
}
