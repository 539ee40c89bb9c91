import type { Example } from './example.ts'

const ALERTING = `alerting:
  grafana_url: https://grafana.example.net
  thresholds:
    used_ratio: {warning: 0.75, critical: 0.85}
`

/** Commands that write files. */
export const FILES: readonly Example[] = [
  {
    name: 'rules',
    page: 'docs/alerting.md',
    files: { 'alerting.yml': ALERTING },
    steps: [
      { run: 'cat alerting.yml' },
      { run: 'sds-exporter rules --config.file=alerting.yml --out=rules' },
      { run: "grep -A5 'alert: SdsCapacityHigh' rules/sds-alerts.yml" },
    ],
  },
  {
    name: 'dashboards',
    page: 'docs/alerting.md',
    steps: [{ run: 'sds-exporter dashboards --out=dashboards' }],
  },
  {
    name: 'backfill',
    page: 'docs/history.md',
    steps: [
      {
        run: 'sds-exporter backfill --config.file=sds-exporter.yml --from=-30d --label=job=sds-exporter --output=history.om --dry-run',
      },
    ],
  },
]
