import { timeText } from '../../time_units.ts'
import { mix, uuidOf } from '../model/random.ts'
import { alertsAt } from '../model/system/alerts.ts'
import type { Document } from '../protocol/format.ts'
import { pageOf, type ResourceRequest, wrapped } from './request.ts'

const ALERT_SALT = 111
const FILTERS = ['severity', 'type', 'namespace', 'acknowledged'] as const

/** `GET /vdc/alerts`: the unacknowledged alerts, of which localzone has the counts, the newest first. */
export function alertList(request: ResourceRequest): Document {
  const { query } = request
  const [from, to] = [query.get('start_time') ?? '', query.get('end_time') ?? '9999']
  const found = alertsOf(request).filter(
    (alert) =>
      alert.timestamp >= from &&
      alert.timestamp < to &&
      FILTERS.every((name) => [null, String(alert[name])].includes(query.get(name))),
  )
  const { page, members } = pageOf(request, found)
  return wrapped(request, 'alerts', { alert: page, MaxAlerts: page.length, ...members })
}

function alertsOf({ model, now }: ResourceRequest) {
  const times = alertsAt(model, now).flatMap((alerts, cause) =>
    Array.from({ length: alerts.count }, (_, index) => ({
      alerts,
      t: alerts.since + index * alerts.every,
      key: mix(mix(model.key, ALERT_SALT + cause), index),
    })),
  )
  return times
    .sort((a, b) => b.t - a.t)
    .map(({ alerts: { type, severity, description, symptomCode }, t, key }) => ({
      id: `urn:storageos:Alert:${uuidOf(key)}`,
      type,
      severity: severity.toUpperCase(),
      timestamp: timeText(t).replace('Z', ''),
      namespace: '',
      description,
      symptomCode: String(symptomCode),
      acknowledged: false,
    }))
}
