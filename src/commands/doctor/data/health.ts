import { HEALTH_STATES } from '../../../catalogue.ts'
import { allOf, type Finding } from '../check/check.ts'
import { type RawFeed, systemCheck } from '../check/system_facts.ts'

type Node = RawFeed['reading']['nodes'][number]

/** Checks that all nodes are in a good state. The command nodes shows the states. */
export const healthCheck = systemCheck({
  title: 'health',
  needs: ['feeds'],
  run: (_, { feeds }) => feeds.filter(({ reading }) => reading.nodes.length > 0).flatMap(healthOf),
})

/** States that need no action: a node in maintenance was put there. */
const QUIET_STATES: readonly string[] = ['Good', 'Maintenance']

function healthOf({ label: subject, reading: { nodes } }: RawFeed): Finding[] {
  const isKnown = ({ health }: Node) => HEALTH_STATES.some((state) => state === health)
  const unknown = nodes.filter((node) => !isKnown(node))
  const troubled = nodes.filter((node) => isKnown(node) && !QUIET_STATES.includes(node.health ?? ''))
  const text = countsOf(nodes)
  const isQuiet = troubled.length + unknown.length === 0
  const isGood = nodes.every(({ health }) => health === 'Good')
  const states = namesOf(troubled, ({ health }) => ` (${health})`)
  return allOf(subject, [
    [troubled.length > 0, 'warn', `${text}: ${states}`, NOT_OURS],
    [unknown.length > 0, 'warn', `${text}: unknown or missing health status of ${namesOf(unknown)}`, CHECK],
    [isQuiet, isGood ? 'ok' : 'info', text],
  ])
}

const NOT_OURS =
  'this is the state of the storage system, not of the exporter: see sds-exporter nodes and the management interface'
const CHECK = 'check these nodes in the management interface, and report the unknown status'

/** `2 Good, 1 Bad` */
function countsOf(nodes: readonly Node[]): string {
  const counts = new Map<string, number>()
  for (const { health = 'missing' } of nodes) counts.set(health, (counts.get(health) ?? 0) + 1)
  return [...counts].map(([status, count]) => `${count} ${status}`).join(', ')
}

const MAX_NAMED_NODES = 3

/** @param more added to each name */
function namesOf(nodes: readonly Node[], more: (node: Node) => string = () => ''): string {
  const names = nodes.slice(0, MAX_NAMED_NODES).map((node) => `${node.name ?? node.id}${more(node)}`)
  return `${names.join(', ')}${nodes.length > MAX_NAMED_NODES ? ', …' : ''}`
}
