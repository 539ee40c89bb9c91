import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { risksOf } from '../../src/exporter/risks.ts'
import { configOf } from '../readings/setup.ts'
import { temporaryFolder } from '../support/folders.ts'

test.each([
  ['0 */5 * * * *', '5m', '5s', true],
  // The next poll begins up to the random delay later.
  ['0 */5 * * * *', '303s', '5s', true],
  ['0 */5 * * * *', '303s', '0s', false],
  // The pause over the night.
  ['0 */5 8-18 * * *', '12h', '5s', true],
  ['0 */5 8-18 * * *', '15h', '5s', false],
  ['', '5m', '5s', false],
])(
  'polls by "%s" with stale_after %s and max_random_delay %s are a risk: %s',
  (schedule, age, delay, isRisk) => {
    const poll = `poll: {schedule: "${schedule}", stale_after: ${age}, max_random_delay: ${delay}}`
    const texts = risksOf(configOf(`${poll}\nperformance: {source: feed}`), 'test.yml').map(
      ({ text }) => text,
    )
    expect(texts.some((text) => text.includes('poll.stale_after removes values'))).toBe(isRisk)
  },
)

test.each([
  ['{endpoint: "http://receiver.example.net:4318"}', []],
  ['{endpoint: "http://127.0.0.1:4318", headers: {Authorization: Bearer geheim}}', []],
  ['{endpoint: "https://receiver.example.net", headers: {Authorization: Bearer geheim}}', []],
  [
    '{endpoint: "http://receiver.example.net:4318", headers: {Authorization: Bearer geheim}}',
    ['http://receiver.example.net:4318/v1/metrics: the headers are sent unencrypted'],
  ],
  [
    '{endpoint: "https://receiver.example.net", tls_config: {insecure_skip_verify: true}}',
    ['TLS certificate verification is disabled: the connection can be intercepted'],
  ],
])('risks of otlp %s', (section, texts) => {
  const risks = risksOf(configOf(`otlp: ${section}`), 'test.yml').filter(({ system }) => system === undefined)
  expect(risks.map(({ text }) => text)).toEqual(texts)
})

test.each([
  ['headers', 'a: b', (file: string) => `{endpoint: "https://a", headers_file: "${file}"}`],
  ['test.yml', 'geheim', () => '{endpoint: "https://a", headers: {Authorization: geheim}}'],
])('headers of otlp in a file %s that every user can read are a risk', (name, content, sectionOf) => {
  using folder = temporaryFolder()
  const file = folder.write(name, content)
  const config = configOf(`otlp: ${sectionOf(file)}`)
  const texts = () =>
    risksOf(config, join(folder.path, 'test.yml')).flatMap(({ system, text }) =>
      system === undefined ? [text] : [],
    )
  chmodSync(file, 0o644)
  expect(texts()).toEqual([`every local user can read the secret in ${file}`])
  chmodSync(file, 0o600)
  expect(texts()).toEqual([])
})
