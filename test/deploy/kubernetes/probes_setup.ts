import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { parse } from 'yaml'
import { readText } from '../../repository/repository.ts'

/** The overlay with several exporters behind one Service. */
export const OVERLAY = 'deploy/kubernetes/overlays/probes'

/**
 * Accepts connections like the Service: each goes to the next exporter that accepts it.
 * @param address host and port to listen on; the port 0 is any free one
 * @param exporters host and port of each
 */
export async function startService(
  address: string,
  exporters: readonly string[],
): Promise<{ address: string; stop: () => void }> {
  let next = 0
  const sockets = new Set<Socket>()
  const forward = (client: Socket, tries = exporters.length) => {
    const exporter = connect(placeOf(exporters[next++ % exporters.length] ?? ''))
    exporter.once('connect', () => client.pipe(exporter).pipe(client))
    exporter.on('error', () =>
      tries > 1 && exporter.bytesRead === 0 ? forward(client, tries - 1) : client.destroy(),
    )
    sockets.add(exporter)
  }
  const server = createServer((client) => {
    sockets.add(client)
    client.on('error', () => undefined)
    forward(client)
  }).listen(placeOf(address))
  await once(server, 'listening')
  const bound = server.address()
  return {
    address: typeof bound === 'object' && bound !== null ? `${bound.address}:${bound.port}` : address,
    stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function placeOf(address: string): { host: string; port: number } {
  const { hostname, port } = new URL(`tcp://${address}`)
  return { host: hostname, port: Number(port) }
}

/** Where the parts are on this machine: host and port. */
export interface Addresses {
  readonly service: string
  readonly exporters: readonly string[]
  readonly writeUrl: string
}

// biome-ignore lint/suspicious/noExplicitAny: a parsed configuration
type Yaml = any

/**
 * The configuration of a Prometheus server of the overlay, on this machine, with scrapes every two seconds.
 * @param replica the name of its pod
 */
export function prometheusConfig(
  shard: number,
  { service, exporters, writeUrl }: Addresses,
  replica = `prometheus-${shard}-0`,
): Yaml {
  const config: Yaml = parse(readText(`${OVERLAY}/prometheus-${shard}.yml`))
  const [systems, own] = config.scrape_configs
  const [sd] = systems.http_sd_configs
  const url = sd.url.replace(/^http:\/\/[^/]+/, `http://${service}`)
  const { dns_sd_configs: _names, ...ownRest } = own
  // Prometheus 2 replaces variables only with a flag. The alerts of one machine go nowhere.
  const { alerting: _alerting, rule_files: _rules, ...rest } = config
  const external_labels = { ...config.global.external_labels, replica }
  return {
    ...rest,
    global: {
      ...config.global,
      external_labels,
      scrape_interval: '2s',
      scrape_timeout: '2s',
      evaluation_interval: '2s',
    },
    scrape_configs: [
      { ...systems, http_sd_configs: [{ ...sd, url, refresh_interval: '1s' }] },
      { ...ownRest, scrape_timeout: '2s', static_configs: [{ targets: exporters }] },
    ],
    remote_write: config.remote_write.map((store: Yaml) => ({ ...store, url: writeUrl })),
  }
}
