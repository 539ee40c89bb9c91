import type { Example } from './example.ts'

const page = 'docs/configuration.md'

const VARIABLES = `systems:
  - name: $\{SDS_SYSTEM:-frankfurt}
    base_url: $\{SDS_BASE_URL:-http://127.0.0.1:4443}
    auth: {username: monitor, password_file: password}
`

export const CONFIGURATION: readonly Example[] = [
  {
    name: 'variables',
    page,
    files: { 'variables.yml': VARIABLES },
    steps: [
      { run: 'cat variables.yml' },
      { run: 'sds-exporter check --config.file=variables.yml' },
      { run: 'SDS_SYSTEM=paris sds-exporter check --config.file=variables.yml' },
    ],
  },
  {
    name: 'auto-reload',
    page,
    ownPorts: [9438],
    steps: [
      {
        start:
          'sds-exporter serve --config.file=sds-exporter.yml --config.auto-reload --config.auto-reload-interval=1s',
        hidden: '--web.listen-address=127.0.0.1:9438 --admin.listen-address=',
        until: /list.*ning.*\n/,
      },
      { run: "sed -i 's/tier: gold/tier: silver/' sds-exporter.yml" },
      {
        later: /configuration reload.*\n/,
        edit: (log) =>
          log
            .split('\n')
            .filter((line) => line.includes('reloaded'))
            .join('\n'),
      },
    ],
  },
]
