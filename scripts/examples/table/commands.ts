import { readFileSync } from 'node:fs'
import type { Example } from './example.ts'
import { pipedIntoJq } from './jq.ts'

const page = 'docs/commands.md'

/** A file with typical mistakes. */
const BROKEN = `systems:
  - name: frankfurt
    base_url: ecs1.example.net:4443
    auth: {username: monitor, password_file: pasword}
poll:
  schedul: "0 * * * * *"
`

const UNENCRYPTED = `systems:
  - name: frankfurt
    base_url: http://ecs1.example.net:4443
    auth: {username: monitor, password_file: password}
`

/** What bash offers for words, as its interactive shell asks; it passes "=" as a word. */
const offered = (...words: readonly string[]) =>
  [
    'source <(sds-exporter completion bash)',
    'compopt() { :; }',
    `COMP_WORDS=(sds-exporter ${words.map((word) => `'${word}'`).join(' ')})`,
    `COMP_CWORD=${words.length}`,
    '_sds_exporter',
    'echo "$' + '{COMPREPLY[@]}"',
  ].join('\n')

/** Commands that need no other page. */
export const COMMANDS: readonly Example[] = [
  { name: 'config', page, steps: [{ run: 'cat sds-exporter.yml' }] },
  {
    name: 'demo',
    page,
    ownPorts: [9438, 9439, 40731, 40732],
    steps: [
      {
        start: 'sds-exporter demo --scenario=node-down',
        hidden:
          '--web.listen-address=127.0.0.1:9438 --admin.listen-address=127.0.0.1:9439 --emulator.listen-address=127.0.0.1:40731',
        until: /Press Ctrl\+C to stop\.\n/,
        edit: (output) => output.replaceAll(/^ts=.*\n/gm, ''),
      },
    ],
  },
  {
    name: 'emulate',
    page: 'docs/emulator.md',
    ownPorts: [4443],
    steps: [
      {
        start: 'sds-exporter emulate --profile=modern --pools=1 --nodes=2',
        hidden: '--listen-address=127.0.0.1:4443',
        until: /user security.*\n/,
      },
      pipedIntoJq(
        "curl -fsS -H 'X-SDS-AUTH-TOKEN: emulator-monitor' http://127.0.0.1:4443/vdc/nodes.json",
        "'.node[0]'",
        ({ node }: { node: readonly unknown[] }) => node[0],
      ),
    ],
  },
  {
    name: 'capture',
    page: 'docs/recordings.md',
    files: { 'frankfurt.jsonl': readFileSync('test/recordings/emulator-community.jsonl', 'utf8') },
    steps: [
      {
        run: 'sds-exporter capture --show=frankfurt.jsonl',
        keep: /^(?:Rec|Versions|\d|Names| {2}(?:\d+ json +(?:GET .*replication|POST)|n(?:amespace|ode|umBad)))/,
      },
    ],
  },
  {
    name: 'check',
    page,
    files: { 'broken.yml': BROKEN },
    steps: [{ run: 'cat broken.yml' }, { run: 'sds-exporter check --config.file=broken.yml', exit: 1 }],
  },
  {
    name: 'check-warning',
    page,
    files: { 'unencrypted.yml': UNENCRYPTED },
    steps: [{ run: 'sds-exporter check --config.file=unencrypted.yml' }],
  },
  {
    name: 'check-json',
    page,
    files: { 'broken.yml': BROKEN },
    steps: [{ run: 'sds-exporter check --config.file=broken.yml --json', exit: 1 }],
  },
  {
    name: 'nodes',
    page,
    steps: [
      { run: 'sds-exporter nodes --config.file=sds-exporter.yml' },
      { run: 'sds-exporter nodes --config.file=sds-exporter.yml --system=paris --json | head -20' },
    ],
  },
  {
    name: 'help',
    page,
    steps: [
      { run: 'sds-exporter help version' },
      { run: 'sds-exporter check -h', keep: /^(?:Usage|Options| {2}-)/ },
    ],
  },
  { name: 'version', page, steps: [{ run: 'sds-exporter version' }] },
  {
    name: 'completion',
    page,
    steps: [
      { run: 'source <(sds-exporter completion bash)' },
      { run: 'sds-exporter serve --web.<Tab><Tab>', actually: offered('serve', '--web.') },
      { run: 'sds-exporter demo --scenario=<Tab><Tab>', actually: offered('demo', '--scenario', '=', '') },
    ],
  },
  {
    name: 'health',
    page,
    steps: [
      { run: 'sds-exporter health --web.listen-address=127.0.0.1:9438; echo $?' },
      { run: 'sds-exporter health --web.listen-address=127.0.0.1:9; echo $?' },
    ],
  },
]
