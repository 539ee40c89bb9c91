import type { Status } from '../../../src/status/model.ts'
import { CONFIG } from './config.ts'
import type { Example } from './example.ts'
import { pipedIntoJq } from './jq.ts'

const BASE = 'http://127.0.0.1:9438'

const PARIS_POOL = 'urn:storageos:VirtualArray:d284d607-4dcf-425e-994a-e3f6f7ac4dd6'

export const HTTP: readonly Example[] = [
  {
    name: 'metrics',
    page: 'README.md',
    steps: [
      {
        run: `curl -fsS ${BASE}/metrics | grep -E '(health_status|disks_by_status|space_free_b|forecast_s).*frankfurt.*hot-node-01.* [1-9]'`,
      },
    ],
  },
  {
    name: 'probe-config',
    page: 'docs/probes.md',
    files: {
      'sds-exporter.yml': `${CONFIG}poll: {schedule: ""}                      # polls only when probed\n`,
    },
    steps: [{ run: 'cat sds-exporter.yml' }, { run: 'sds-exporter check --config.file=sds-exporter.yml' }],
  },
  {
    name: 'probe',
    page: 'docs/probes.md',
    steps: [
      {
        run: `curl -fsS '${BASE}/probe?system=paris' | grep -E '^sds_(pool_up|pool_nodes|system|probe)'`,
      },
      { run: `curl -fsS '${BASE}/probe?system=paris&pool=${PARIS_POOL}' | grep -E '^sds_(pool_up|probe)'` },
      { run: `curl -sS -w '%{http_code}\\n' '${BASE}/probe?system=london'` },
    ],
  },
  {
    name: 'history',
    page: 'docs/history.md',
    files: { 'history.yml': `${CONFIG}history: {enabled: true, window: 30m}\n` },
    ownPorts: [9438],
    steps: [
      {
        start: 'sds-exporter serve --config.file=history.yml',
        hidden: '--web.listen-address=127.0.0.1:9438 --admin.listen-address=',
        until: /listening.*\n/,
        hide: true,
      },
      {
        run: `until curl -fsS '${BASE}/history?system=paris' | grep -q hot-node-01; do sleep 0.2; done`,
        hide: true,
      },
      {
        run: `curl -fsS '${BASE}/history?system=paris' | grep -E 'sds_node_cpu_utilization_ratio.*hot-node-01'`,
      },
    ],
  },
  {
    name: 'sd',
    page: 'docs/probes.md',
    steps: [pipedIntoJq(`curl -fsS ${BASE}/sd`, '.', (targets) => targets)],
  },
  {
    name: 'status-problems',
    page: 'docs/status.md',
    steps: [pipedIntoJq(`curl -fsS ${BASE}/api/v1/status`, '.problems', ({ problems }: Status) => problems)],
  },
  {
    name: 'status',
    page: 'docs/status.md',
    steps: [pipedIntoJq(`curl -fsS '${BASE}/api/v1/status?system=frankfurt'`, '.', shortStatus)],
  },
]

/** The document with shortened lists. */
function shortStatus(status: Status): Status {
  const systems = status.systems.map((system) => ({
    ...system,
    pools: system.pools.slice(0, 1).map((pool) => ({
      ...pool,
      categories: pool.categories.slice(1, 3),
      attributes: pool.attributes.slice(0, 1),
      nodes: pool.nodes.slice(0, 1),
    })),
  }))
  return { ...status, problems: status.problems.slice(0, 1), systems }
}
