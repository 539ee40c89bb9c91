import { HEALTH_STATES } from '../../../catalogue.ts'
import type { Finding } from '../check/check.ts'
import { type RawFeed, systemCheck } from '../check/system_facts.ts'

/** Whether the health of every node can be told. How healthy they are is told by the command nodes. */
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
  for (const { health = 'untold' } of nodes) counts.set(health, (counts.get(health) ?? 0) + 1)
  const text = [...counts].map(([status, count]) => `${count} ${status}`).join(', ')
  const strange = nodes.filter(({ health }) => !HEALTH_STATES.some((state) => state === health))
  if (strange.length === 0) return { status: 'ok', subject, text }
  const names = strange.slice(0, MAX_NAMED_NODES).map(({ id, name }) => name ?? id)
  return {
    status: 'warn',
    subject,
    text: `${text}: not a health status that is known, at ${names.join(', ')}${strange.length > MAX_NAMED_NODES ? ', …' : ''}`,
    remedy: 'look the nodes up in the management interface, and report the new word',
  }
}
