import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { type Addresses, OVERLAY, prometheusConfig } from '../../../test/deploy/kubernetes/probes_setup.ts'
import type { Command, Example, Service } from './example.ts'
import { pipedIntoJq } from './jq.ts'

const page = 'docs/probes.md'
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** By the hash of Prometheus, some of them belong to each of two servers. */
const FOUR_SYSTEMS = `systems:
${['frankfurt', 'paris', 'madrid', 'oslo'].map((name) => `  - {name: ${name}, base_url: "http://127.0.0.1:4443", auth: {token: emulator-monitor}}`).join('\n')}
poll: {schedule: ""}
`

/** The ports of the parts of the overlay on one machine. */
const SERVICE = '127.0.0.1:9438'
const EXPORTERS = ['127.0.0.1:9441', '127.0.0.1:9442', '127.0.0.1:9443']
const STORE = '127.0.0.1:8428'
const SERVERS = ['127.0.0.1:9091', '127.0.0.1:9092']

const QUERY_URL = `http://${STORE}/api/v1/query`

const ADDRESSES: Addresses = {
  service: SERVICE,
  exporters: EXPORTERS,
  writeUrl: `http://${STORE}/api/v1/write`,
}

/** Without the digests in the names of ConfigMaps, which change with every rule. */
const NAMES = `grep -E '^(kind|  name|  replicas):' | sed -E 's/-[a-z0-9]{10}$//'`

/** Several exporters and Prometheus servers. */
export const SCALE_OUT: readonly Example[] = [
  {
    name: 'scale-out',
    page,
    files: {
      'probes.yml': FOUR_SYSTEMS,
      'prometheus-0.yml': stringify(prometheusConfig(0, ADDRESSES)),
      'prometheus-1.yml': stringify(prometheusConfig(1, ADDRESSES)),
    },
    ownPorts: [SERVICE, ...EXPORTERS, STORE, ...SERVERS].map(portOf),
    steps: [
      ...EXPORTERS.map((address) => serve('probes.yml', address)),
      hidden(
        `'${process.execPath}' '${ROOT}scripts/examples/service.ts' ${[SERVICE, ...EXPORTERS].join(' ')}`,
        /listening on.*\n/,
      ),
      hidden(
        `victoria-metrics -storageDataPath=store -httpListenAddr=${STORE} -search.latencyOffset=0s`,
        /starting http server at.*\n/,
      ),
      ...SERVERS.map((address, shard) =>
        hidden(
          `prometheus --config.file=prometheus-${shard}.yml --storage.tsdb.path=prometheus-${shard} --web.listen-address=${address}`,
          /ready to receive web requests.*\n/,
        ),
      ),
      waitFor('count(sds_probe_success == 1) == 4'),
      waitFor('count(sum by (instance) (sds_api_requests_total{operation="nodes"}) > 0) == 3'),
      query('sort_by_label(sum by (system, shard) (sds_probe_success), "system")', ['shard', 'system']),
      query('sort_by_label(sum by (instance) (sds_api_requests_total{operation="nodes"}) > 0, "instance")', [
        'instance',
      ]),
    ],
  },
  {
    name: 'overlay',
    page,
    steps: [
      {
        run: `kubectl kustomize ${OVERLAY} | ${NAMES}`,
        actually: `cd '${ROOT}' && '${process.execPath}' scripts/examples/kustomized.ts ${OVERLAY} | ${NAMES}`,
      },
    ],
  },
  {
    name: 'shards',
    page,
    files: {
      'probes.yml': FOUR_SYSTEMS,
      'prometheus-0.yml': ofOverlay('prometheus-0.yml'),
      'prometheus-1.yml': ofOverlay('prometheus-1.yml'),
    },
    ownPorts: [9438],
    steps: [
      serve('probes.yml', SERVICE),
      ...[0, 1].map((shard) =>
        pipedIntoJq(
          `promtool check service-discovery --timeout=5s prometheus-${shard}.yml sds-systems`,
          "-r '.[].labels.instance // empty'",
          instancesOf,
        ),
      ),
    ],
  },
]

function portOf(address: string): number {
  return Number(new URL(`http://${address}`).port)
}

function hidden(start: string, until: RegExp): Service {
  return { start, until, hide: true }
}

function serve(file: string, address: string): Service {
  const flags = `--web.listen-address=${address} --admin.listen-address=`
  return hidden(`sds-exporter serve --config.file=${file} ${flags}`, /listening.*\n/)
}

/** Waits until a query has a result. */
function waitFor(expression: string): Command {
  const command = `curl -sS ${QUERY_URL} --data-urlencode 'query=${expression}'`
  return { run: `until ${command} | grep -q '"value"'; do sleep 0.2; done`, hide: true }
}

interface Results {
  readonly data: { readonly result: readonly { readonly metric: Readonly<Record<string, string>> }[] }
}

/** The labels of the series of a query. */
function query(expression: string, labels: readonly string[]): Command {
  const line = labels.map((label) => `\\(.${label})`).join(' ')
  return pipedIntoJq(
    `curl -fsS ${QUERY_URL} --data-urlencode 'query=${expression}'`,
    `-r '.data.result[].metric | "${line}"'`,
    ({ data }: Results) => data.result.map(({ metric }) => labels.map((label) => metric[label]).join(' ')),
  )
}

/** A file of the overlay, with the address of this machine in place of the Service. */
function ofOverlay(name: string): string {
  const file = new URL(`../../../${OVERLAY}/${name}`, import.meta.url)
  return readFileSync(file, 'utf8').replaceAll('//sds-exporter:9438', '//127.0.0.1:9438')
}

/** The targets that were not dropped, in order. */
function instancesOf(targets: readonly { labels: { instance?: string } }[]): readonly string[] {
  return targets.flatMap(({ labels }) => labels.instance ?? []).sort()
}
