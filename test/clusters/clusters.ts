import { join } from 'node:path'
import { stringify } from 'yaml'
import { programPath } from '../../scripts/tools/clusters.ts'
import { temporaryFolder } from '../support/folders.ts'
import { get } from '../support/http.ts'
import { freePort } from '../support/ports.ts'
import { type Child, startProcess } from '../support/processes.ts'
import { waitFor } from '../support/wait.ts'

/** A receiver with tenants, on free ports. */
export interface Cluster extends AsyncDisposable {
  readonly writeUrl: string
  /** With the path before `/api/v1`. */
  readonly queryUrl: string
  readonly tenantHeader: string
}

/** Longer than a loaded machine needs for the start. */
const START_MS = 100_000
/** Mimir waits for minutes for other instances, which do not exist. */
const STOP_MS = 2000
const OUT_OF_ORDER_WINDOW = '1d'

const freeAddress = async () => `127.0.0.1:${await freePort()}`

async function isReady(url: string, child: Child): Promise<void> {
  await waitFor(async () => (await get(url).catch(() => undefined))?.status === 200, {
    what: url,
    timeout: START_MS,
    interval: 200,
    detail: child.stderr,
  })
}

/** Receive and query of Thanos. Tenants see only their own series. */
export async function startThanos(): Promise<Cluster> {
  const folder = temporaryFolder()
  const [write, grpc, http, query, queryGrpc] = await Promise.all(Array.from({ length: 5 }, freeAddress))
  const children: Child[] = []
  const start = async (readyUrl: string, ...args: string[]) => {
    const child = await startProcess(programPath('thanos'), args)
    children.push(child)
    await isReady(readyUrl, child)
  }
  const dispose = async () => {
    for (const child of children.toReversed()) await child.stop(STOP_MS)
    folder[Symbol.dispose]()
  }
  try {
    await start(
      `http://${http}/-/ready`,
      'receive',
      `--tsdb.path=${join(folder.path, 'data')}`,
      `--tsdb.out-of-order.time-window=${OUT_OF_ORDER_WINDOW}`,
      '--label=replica="a"',
      `--remote-write.address=${write}`,
      `--grpc-address=${grpc}`,
      `--http-address=${http}`,
    )
    await start(
      `http://${query}/-/ready`,
      'query',
      `--endpoint=${grpc}`,
      '--query.replica-label=replica',
      '--query.enforce-tenancy',
      `--http-address=${query}`,
      `--grpc-address=${queryGrpc}`,
    )
  } catch (failure) {
    await dispose()
    throw failure
  }
  return {
    writeUrl: `http://${write}/api/v1/receive`,
    queryUrl: `http://${query}`,
    tenantHeader: 'THANOS-TENANT',
    [Symbol.asyncDispose]: dispose,
  }
}

/** Mimir in one process, with tenants. */
export async function startMimir(): Promise<Cluster> {
  const folder = temporaryFolder()
  const [http, grpc] = await Promise.all([freePort(), freePort()])
  const file = folder.write('mimir.yml', stringify(mimirConfig(folder.path, http, grpc)))
  const child = await startProcess(programPath('mimir'), [`-config.file=${file}`], { cwd: folder.path })
  const dispose = async () => {
    await child.stop(STOP_MS)
    folder[Symbol.dispose]()
  }
  const url = `http://127.0.0.1:${http}`
  try {
    await isReady(`${url}/ready`, child)
  } catch (failure) {
    await dispose()
    throw failure
  }
  return {
    writeUrl: `${url}/api/v1/push`,
    queryUrl: `${url}/prometheus`,
    tenantHeader: 'X-Scope-OrgID',
    [Symbol.asyncDispose]: dispose,
  }
}

function mimirConfig(folder: string, httpPort: number, grpcPort: number): object {
  const address = '127.0.0.1'
  const ring = { instance_addr: address, kvstore: { store: 'inmemory' } }
  const single = { ...ring, replication_factor: 1 }
  const path = (name: string) => join(folder, name)
  return {
    multitenancy_enabled: true,
    usage_stats: { enabled: false },
    server: {
      http_listen_address: address,
      http_listen_port: httpPort,
      grpc_listen_address: address,
      grpc_listen_port: grpcPort,
    },
    memberlist: { bind_addr: [address], advertise_addr: address, bind_port: 0 },
    common: { storage: { backend: 'filesystem', filesystem: { dir: path('blobs') } } },
    blocks_storage: {
      storage_prefix: 'blocks',
      tsdb: { dir: path('tsdb') },
      bucket_store: { sync_dir: path('sync') },
    },
    activity_tracker: { filepath: path('activity.log') },
    ruler: { rule_path: path('rules'), ring },
    ruler_storage: { storage_prefix: 'rules' },
    compactor: { data_dir: path('compactor'), sharding_ring: ring },
    distributor: { ring },
    ingester: { ring: { ...single, min_ready_duration: '0s' } },
    store_gateway: { sharding_ring: single },
    frontend: { address },
    limits: { out_of_order_time_window: OUT_OF_ORDER_WINDOW },
  }
}
