import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { selfSigned } from '../../src/emulator/certificates.ts'
import { createEmulator } from '../../src/emulator/emulator.ts'
import { PASSWORD } from '../../src/emulator/http/sessions.ts'
import { temporaryFolder } from '../support/folders.ts'
import { run, startProcess } from '../support/processes.ts'

const readme = readFileSync('README.md', 'utf8')
const FREE_PORTS = ['--web.listen-address=127.0.0.1:0', '--admin.listen-address=']
const LISTENING = /msg=listening url=(\S+)/

/** The arguments of the commands `npx node src/main.ts …` of the page. */
const commands = [...readme.matchAll(/npx node (src\/main\.ts [^#`\n]+)/g)].map(([, text = '']) =>
  text.trim().split(/\s+/),
)

test('the commands of the README work with its configuration', async () => {
  using folder = temporaryFolder()
  const certificate = await selfSigned({ names: ['127.0.0.1'] })
  const emulator = createEmulator({ listenAddress: '127.0.0.1:0', tls: certificate })
  await emulator.start()
  try {
    const config = (/```yaml\n(systems:.*?)```/s.exec(readme)?.[1] ?? '')
      .replace(/base_url: \S+/, `base_url: ${emulator.url}`)
      .replace(/password_file: [^}]+/, `password_file: ${folder.write('password', PASSWORD)}`)
      .replace(/ca_file: [^}]+/, `ca_file: ${folder.write('ca.pem', certificate.cert)}`)
    const file = folder.write('sds-exporter.yml', config)
    const names = commands.map(([, name]) => name)
    expect(names).toEqual(['check', 'doctor', 'serve', 'emulate', 'dashboards'])
    for (const words of commands) {
      const args = words.map((word) =>
        word.replace(/=sds-exporter\.yml$/, `=${file}`).replace(/=DIR$/, `=${dirname(file)}/dashboards`),
      )
      await expectToWork(args)
    }
  } finally {
    await emulator.stop()
  }
})

async function expectToWork(args: readonly string[]): Promise<void> {
  const [, name] = args
  if (name === 'serve' || name === 'emulate') {
    const flags = name === 'serve' ? FREE_PORTS : ['--listen-address=127.0.0.1:0']
    await using child = await startProcess(process.execPath, [...args, ...flags])
    await child.waitForOutput(name === 'serve' ? LISTENING : /^Emulated storage system: \S+$/m)
  } else {
    const { code, stdout, stderr } = await run(process.execPath, args)
    expect(code, `${args.join(' ')}\n${stdout}${stderr}`).toBe(0)
  }
}

test('the first metrics of the README are those of the demo', async () => {
  const [, flags = '', block = ''] =
    /here with `npm start -- ([^`]*)`:\n\n```console\n\$ ([^`]*)```/.exec(readme) ?? []
  const command = block.slice(0, block.indexOf('\n'))
  await using demo = await startProcess(process.execPath, ['src/main.ts', 'demo', flags, ...FREE_PORTS])
  const [, url = ''] = await demo.waitForOutput(LISTENING)
  const shown = () =>
    namesIn(execFileSync('bash', ['-c', command.replace('http://127.0.0.1:9438', url)], { encoding: 'utf8' }))
  expect(command).toContain('curl')
  // Forecasts are read after the nodes.
  await expect.poll(shown).toEqual(namesIn(block.slice(command.length)))
})

/** Series without their values, which depend on the time. */
function namesIn(text: string): readonly string[] {
  return text
    .trim()
    .split('\n')
    .map((line) => line.slice(0, line.lastIndexOf(' ')))
    .sort()
}
