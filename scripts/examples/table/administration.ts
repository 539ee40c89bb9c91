import type { Example } from './example.ts'
import { pipedIntoJq } from './jq.ts'

interface Providers {
  readonly authnprovider: readonly { readonly name: string }[]
}

const page = 'docs/administration.md'

/** What the command asks for on a terminal. */
const environment = { SDS_PASSWORD: 'emulator', SDS_TOKEN: 'emulator-security' }
const FLAGS = '--config.file=sds-exporter.yml --system=frankfurt --username=security'
const API = 'http://127.0.0.1:9439/systems/frankfurt'
const TOKEN = '-H "X-SDS-AUTH-TOKEN: $SDS_TOKEN"'

export const ADMINISTRATION: readonly Example[] = [
  {
    name: 'providers-list',
    page,
    environment,
    steps: [{ run: `sds-exporter providers list ${FLAGS}` }],
  },
  {
    name: 'providers-dry-run',
    page,
    environment,
    steps: [{ run: `sds-exporter providers delete ${FLAGS} --dry-run corporate-ldap` }],
  },
  {
    name: 'providers-delete',
    page,
    environment,
    steps: [
      {
        run: 'sds-exporter providers delete --config.file=sds-exporter.yml --system=paris --username=security --yes --admin.audit-file=audit.log corporate-ldap',
      },
      { run: 'cat audit.log' },
    ],
  },
  {
    name: 'login-audit',
    page,
    ownPorts: [9438, 9439],
    steps: [
      {
        start: 'sds-exporter serve --config.file=sds-exporter.yml --admin.audit-file=audit.log',
        hidden: '--web.listen-address=127.0.0.1:9438 --admin.listen-address=127.0.0.1:9439',
        until: /provider administration.*\n/,
        hide: true,
      },
      {
        run: `curl -sS --json '{"username": "alice", "password": "wrong"}' http://127.0.0.1:9439/systems/paris/login; echo`,
      },
      { run: 'cat audit.log' },
    ],
  },
  {
    name: 'providers-http',
    page,
    environment,
    steps: [
      { run: 'curl -fsS http://127.0.0.1:9439/systems; echo' },
      { run: `curl -fsS ${TOKEN} ${API}/account; echo` },
      pipedIntoJq<Providers>(
        `curl -fsS ${TOKEN} ${API}/vdc/admin/authnproviders.json`,
        "-r '.authnprovider[].name'",
        ({ authnprovider }) => authnprovider.map(({ name }) => name),
      ),
    ],
  },
]
