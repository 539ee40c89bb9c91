import { expect, test } from 'vitest'
import { temporaryFolder } from './folders.ts'
import { checkConfig, checkMetrics, checkRules, createBlocks, testRules } from './promtool.ts'

const RULES = `groups: [{name: g, rules: [{alert: Down, expr: up == 0, for: 1m}]}]\n`

test('check metrics accepts valid text and reports a missing HELP', async () => {
  const clean = '# HELP sds_x_bytes Text.\n# TYPE sds_x_bytes gauge\nsds_x_bytes 1\n'
  expect(await checkMetrics(clean)).toMatchObject({ code: 0, stderr: '' })
  const found = await checkMetrics('# TYPE sds_x_bytes gauge\nsds_x_bytes 1\n')
  expect(found).toMatchObject({ code: 3, stderr: 'sds_x_bytes no help text\n' })
})

test('check and test rules', async () => {
  using folder = temporaryFolder()
  const rules = folder.write('rules.yml', RULES)
  const unit = (exp: string) =>
    `rule_files: [rules.yml]\ntests: [{interval: 1m, input_series: [{series: up, values: '0x5'}], alert_rule_test: [{eval_time: 3m, alertname: Down, exp_alerts: [${exp}]}]}]\n`
  expect(await checkRules(rules)).toMatchObject({ code: 0 })
  expect(await checkRules(folder.write('bad.yml', RULES.replace('up ==', 'up =!')))).toMatchObject({
    code: 1,
  })
  expect(await testRules(folder.write('good_test.yml', unit('{}')))).toMatchObject({ code: 0 })
  expect(await testRules(folder.write('bad_test.yml', unit('')))).toMatchObject({ code: 1 })
})

test('check config', async () => {
  using folder = temporaryFolder()
  expect(await checkConfig(folder.write('good.yml', 'global: {scrape_interval: 15s}\n'))).toMatchObject({
    code: 0,
  })
  expect(await checkConfig(folder.write('bad.yml', 'globe: {}\n'))).toMatchObject({ code: 1 })
})

test('creates blocks from OpenMetrics', async () => {
  using folder = temporaryFolder()
  const text = '# TYPE x gauge\nx 1 1700000000\nx 2 1700000060\n# EOF\n'
  const made = await createBlocks(folder.write('x.om', text), folder.path)
  expect(made).toMatchObject({ code: 0 })
  expect(made.stdout).toContain('BLOCK ULID')
})
