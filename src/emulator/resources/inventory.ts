import { nodeId } from '../feed/node.ts'
import { uuidOf } from '../model/random.ts'
import { alertsAt } from '../model/system/alerts.ts'
import { siteCount, siteOf } from '../model/system/sites.ts'
import { nodesAt } from '../model/topology.ts'
import type { Document } from '../protocol/format.ts'
import { PROFILES } from '../protocol/profiles.ts'
import { MARKED_SECRET } from './namespaces.ts'
import { pageOf, type ResourceRequest, wrapped } from './request.ts'

const MS_PER_SECOND = 1_000
const DAY = 86_400
const MAX_LATEST = 20
const EXPIRY_DAYS = { valid: 700, expiring: 20, expired: -10 }

/** `GET /vdc/nodes` */
export function vdcNodes({ model, profile, now }: ResourceRequest): Document {
  const { version } = PROFILES[profile]
  const isMixed = model.timeline.periodAt(now).scenario === 'upgrade'
  const newer = version.replace(
    /^(\d+\.\d+\.\d+\.)(\d+)/,
    (_, start: string, last: string) => `${start}${Number(last) + 1}`,
  )
  const found = model.pools.flatMap((pool) => nodesAt(pool, now))
  const node = found.map((one, index) => ({
    nodename: one.name,
    nodeid: nodeId(profile, one),
    mgmt_ip: one.address,
    data_ip: one.address,
    rackId: `rack-${one.pool.index + 1}`,
    version: isMixed && one.index % 2 === 0 ? newer : version,
    isLocal: index === 0,
  }))
  return { root: 'nodes', members: { node } }
}

/** `GET /license`. Version 3.5 has no date of expiry. */
export function license(request: ResourceRequest): Document {
  const { model, profile, now, settings } = request
  const midnight = now - (now % DAY)
  const feature = {
    serial: uuidOf(model.key).slice(0, 14),
    version: '2.0',
    issued_date: '01/10/2020',
    ...(profile !== 'classic' && {
      expiration_date: dateText(midnight + EXPIRY_DAYS[settings.license] * DAY),
    }),
    model: 'ViPR_Unstructured',
    product: 'ECS',
    licensed_ind: true,
    expired_ind: settings.license === 'expired',
    trial_license_ind: false,
    storage_capacity: '12',
    storage_capacity_unit: 'PB',
  }
  return wrapped(request, 'license', {
    license_feature: [feature],
    license_text: `INCREMENT ${MARKED_SECRET}`,
  })
}

function dateText(seconds: number): string {
  const [year, month, day] = new Date(seconds * MS_PER_SECOND).toISOString().slice(0, 10).split('-')
  return `${month}/${day}/${year}`
}

/** `GET /vdc/alerts`: the alerts that nobody has acknowledged; others do not exist. */
export function alerts(request: ResourceRequest): Document {
  const { query } = request
  const [severity, type] = [query.get('severity'), query.get('type')]
  const found = query.get('acknowledged') === 'true' ? [] : alertObjects(request)
  const { page, members } = pageOf(
    request,
    found.filter((one) => (severity ?? one.severity) === one.severity && (type ?? one.type) === one.type),
  )
  const alert = page.map(({ name: _, ...one }) => one)
  return wrapped(request, 'alerts', { alert, MaxAlerts: page.length, ...members })
}

/** `GET /vdc/alerts/latest`: at most 20, without pages. */
export function latestAlerts(request: ResourceRequest): Document {
  const limit = Math.min(Number(request.query.get('limit') ?? MAX_LATEST), MAX_LATEST)
  const alert = alertObjects(request)
    .slice(0, limit)
    .map(({ name: _, ...one }) => one)
  return wrapped(request, 'alerts', { alert })
}

function alertObjects({ model, now }: ResourceRequest) {
  return alertsAt(model, now).map(({ severity, code, type, description }, index) => ({
    name: '',
    id: `urn:storageos:Alert:${uuidOf(model.key + index)}`,
    type,
    severity: severity.toUpperCase(),
    timestamp: new Date((now - (now % DAY)) * MS_PER_SECOND).toISOString().slice(0, 19),
    namespace: '',
    description,
    symptomCode: String(code),
    acknowledged: false,
  }))
}

/** `GET /vdc/callhome/esrs` */
export function callHome(request: ResourceRequest): Document {
  const server = {
    esrs_id: 'esrs-1',
    fqdn: 'esrs.example.net',
    port: '9443',
    connection_status: 'Connected',
    connection_status_message: '',
    serial: uuidOf(request.model.key).slice(0, 14),
  }
  return wrapped(request, 'esrs_server_infos', { esrs_server_info: [server] })
}

/** `GET /object/vdcs/vdc/list`: with keys, which clients must not keep or show. */
export function vdcs(request: ResourceRequest): Document {
  const { model, now } = request
  const vdc = Array.from({ length: siteCount(model, now) }, (_, index) => {
    const { name, uuid } = siteOf(model, index)
    const vdcId = `urn:storageos:VirtualDataCenterData:${uuid}`
    const flags = { permanentlyFailed: false, local: index === 0, hosted: false, inactive: false }
    return { vdcId, vdcName: name, name, id: vdcId, ...flags, secretKeys: MARKED_SECRET }
  })
  return wrapped(request, 'vdcs', { vdc })
}
