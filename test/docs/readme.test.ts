import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readRules } from '../../src/alerting/package_files.ts'
import { selfSigned } from '../../src/emulator/certificates.ts'
import { createEmulator } from '../../src/emulator/emulator.ts'
import { PASSWORD } from '../../src/emulator/http/sessions.ts'
import { type Folder, temporaryFolder } from '../support/folders.ts'
import { run, startProcess } from '../support/processes.ts'
import { checkConfig } from '../support/promtool.ts'

const readme = readFileSync('README.md', 'utf8')
const FREE_PORTS = ['--web.listen-address=127.0.0.1:0', '--admin.listen-address=']
const LISTENING = /msg=listening url=(\S+)/

/** The arguments of the commands `sds-exporter …` of the page, also of that in the place of the service of a package. */
const commands = [...readme.matchAll(/^(?:sudo )?(?:systemctl .*# .*: )?sds-exporter ([^#\n]+)/gm)].map(
  ([, text = '']) => ['src/main.ts', ...text.trim().split(/\s+/)],
)

test('the commands of the README work with its configuration', async () => {
  using folder = temporaryFolder()
  const certificate = await selfSigned({ names: ['127.0.0.1'] })
  const emulator = createEmulator({ listenAddress: '127.0.0.1:0', tls: certificate })
  await emulator.start()
  try {
    const config = (/```yaml\n(systems:.*?)```/s.exec(readme)?.[1] ?? '')
      .replace(/base_url: .*/, `base_url: ${emulator.url}`)
      .replace(/password_file: .*/, `password_file: ${folder.write('password', PASSWORD)}`)
      .replace(/ca_file: [^}]+/, `ca_file: ${folder.write('ca.pem', certificate.cert)}`)
    const file = folder.write('sds-exporter.yml', config)
    const names = commands.map(([, name]) => name)
    expect(names).toEqual(['check', 'doctor', 'serve', 'rules', 'dashboards'])
    for (const words of commands) {
      const args = words.map((word) =>
        word
          .replace(/=(\S*sds-exporter\.yml|FILE)$/, `=${file}`)
          .replace(/^--out=/, `--out=${dirname(file)}/`),
      )
      await expectToWork(args)
    }
    await expectToScrape(folder)
  } finally {
    await emulator.stop()
  }
})

async function expectToWork(args: readonly string[]): Promise<void> {
  if (args[1] === 'serve') {
    await using child = await startProcess(process.execPath, [...args, ...FREE_PORTS])
    await child.waitForOutput(LISTENING)
    return
  }
  const { code, stdout, stderr } = await run(process.execPath, args)
  expect(code, `${args.join(' ')}\n${stdout}${stderr}`).toBe(0)
}

/** Prometheus accepts the configuration of the page with the rules that were written, which select its job. */
async function expectToScrape(folder: Folder): Promise<void> {
  const [, text = ''] = /```yaml\n(# prometheus\.yml\n.*?)```/s.exec(readme) ?? []
  const file = folder.write('prometheus.yml', text.replace('/path/to', folder.path))
  const stdout = expect.stringContaining('2 rule files found')
  expect(await checkConfig(file)).toMatchObject({ code: 0, stdout })
  const [job] = parse(text).scrape_configs
  expect(job.job_name).toBe(readRules().job)
}
