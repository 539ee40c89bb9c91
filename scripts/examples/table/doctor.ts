import type { Example } from './example.ts'

const page = 'docs/commands.md'
const AUTH = 'auth: {username: monitor, password_file: password}'

/** Three usual mistakes about TLS. */
const TLS_MISTAKES = `systems:
  - name: http-on-tls-port
    base_url: http://127.0.0.1:4445
    ${AUTH}
  - name: https-on-plain-port
    base_url: https://127.0.0.1:4443
    ${AUTH}
  - name: wrong-ca
    base_url: https://127.0.0.1:4445
    ${AUTH}
    tls_config: {ca_file: other-ca.pem}
`

const PARIS = `systems:
  - name: paris
    base_url: http://127.0.0.1:4444
    ${AUTH}
`

/** Without requests that come before or after the poll. */
const ONLY_POLLS = `${PARIS}forecast: {schedule: ""}
providers: {schedule: ""}
`

const MISSING_VARIABLE = `systems:
  - name: frankfurt
    base_url: http://127.0.0.1:4443
    ${AUTH}
  - name: paris
    base_url: http://127.0.0.1:4444
    auth: {token: "$\{PARIS_TOKEN}"}
`

/** Not scraped during the example. */
const WITHOUT_RULES = `scrape_configs:
  - job_name: sds-exporter
    scrape_interval: 24h
    static_configs: [{targets: ['127.0.0.1:9438']}]
`

/** `doctor`: what it finds, and the remedies. */
export const DOCTOR: readonly Example[] = [
  {
    name: 'doctor',
    page,
    steps: [
      {
        run: 'sds-exporter doctor --config.file=sds-exporter.yml --system=frankfurt',
        keep: /^system|^ {2}\w+ +(?:connection|clock|login|role|pools|health|query|forecasts) |→|failures$/,
      },
    ],
  },
  {
    name: 'doctor-tls',
    page,
    files: { 'tls.yml': TLS_MISTAKES },
    steps: [
      { run: 'sds-exporter doctor --config.file=tls.yml', exit: 1, keep: /^system| fail |→|failures$/ },
    ],
  },
  {
    name: 'doctor-password',
    page,
    files: { password: 'wrong\n' },
    steps: [
      {
        run: 'sds-exporter doctor --config.file=sds-exporter.yml --system=paris',
        exit: 1,
        keep: /^system| fail |→|failures$/,
      },
    ],
  },
  {
    name: 'wrong-password',
    page: 'docs/operations.md',
    files: { password: 'wrong\n', 'paris.yml': PARIS },
    ownPorts: [9438],
    steps: [
      {
        start: 'sds-exporter serve --config.file=paris.yml',
        hidden: '--web.listen-address=127.0.0.1:9438 --admin.listen-address=',
        until: /discovery of pools failed.*\n/,
        edit: (log) => log.replaceAll(/^.*list of authentication providers.*\n/gm, ''),
      },
      {
        run: "until curl -fsS http://127.0.0.1:9438/metrics | grep -q '^sds_system_up'; do sleep 0.1; done",
        hide: true,
      },
      {
        run: "curl -fsS http://127.0.0.1:9438/metrics | grep -E '^sds_(system_up|api_logins_total|pool_up)' | grep -v ' 0$'",
      },
    ],
  },
  {
    name: 'debug-log',
    page: 'docs/operations.md',
    files: { 'paris.yml': ONLY_POLLS },
    ownPorts: [9438],
    steps: [
      {
        start: 'sds-exporter serve --config.file=paris.yml --log.level=debug',
        hidden: '--web.listen-address=127.0.0.1:9438 --admin.listen-address=',
        until: /msg=poll .*\n/,
      },
    ],
  },
  {
    name: 'doctor-system',
    page,
    files: { 'variable.yml': MISSING_VARIABLE },
    steps: [
      { run: 'sds-exporter doctor --config.file=variable.yml', exit: 1 },
      {
        run: 'sds-exporter doctor --config.file=variable.yml --system=frankfurt',
        keep: /^system| configuration |failures$/,
      },
    ],
  },
  {
    name: 'doctor-prometheus',
    page,
    files: { 'prometheus.yml': WITHOUT_RULES },
    ownPorts: [9090],
    steps: [
      {
        start: 'prometheus --config.file=prometheus.yml',
        hidden: '--web.listen-address=127.0.0.1:9090',
        until: /ready to receive web requests.*\n/,
        hide: true,
      },
      {
        // Prometheus has its targets some seconds after it is ready.
        run: 'until curl -fsS http://127.0.0.1:9090/api/v1/targets | grep -q sds-exporter; do sleep 0.1; done',
        hide: true,
      },
      {
        run: 'sds-exporter doctor --config.file=sds-exporter.yml --system=paris --prometheus.url=http://127.0.0.1:9090',
        keep: /^Prometheus$|^ {2}\w+ +(?:prometheus|rules|alerting) |→ (?:write the rules|configure alerting)/,
      },
    ],
  },
  {
    name: 'doctor-json',
    page,
    files: { password: 'wrong\n' },
    steps: [
      {
        run: 'sds-exporter doctor --config.file=sds-exporter.yml --system=paris --json',
        exit: 1,
        edit: loginFinding,
      },
    ],
  },
]

/** The object with one finding of its list. */
function loginFinding(output: string): string {
  const [json = '', rest = ''] = output.split(/(?<=^\}\n)/m)
  const { summary, findings } = JSON.parse(json) as {
    summary: unknown
    findings: readonly { check: string }[]
  }
  const shown = { summary, findings: findings.filter(({ check }) => check === 'login') }
  return `${JSON.stringify(shown, undefined, 2)}\n${rest}`
}
