import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { selfSigned } from '../../src/emulator/certificates.ts'
import { createEmulator } from '../../src/emulator/emulator.ts'
import { PASSWORD } from '../../src/emulator/http/sessions.ts'
import { temporaryFolder } from '../support/folders.ts'
import { run } from '../support/processes.ts'

const readme = readFileSync('README.md', 'utf8')

/** The arguments of the commands `sds-exporter …` of the page. */
const commands = [...readme.matchAll(/^(?:sudo )?sds-exporter ([^#\n]+)/gm)].map(([, text = '']) => [
  'src/main.ts',
  ...text.trim().split(/\s+/),
])

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
    expect(names).toEqual(['check', 'doctor', 'rules', 'dashboards'])
    for (const words of commands) {
      const args = words.map((word) =>
        word.replace(/=\S*sds-exporter\.yml$/, `=${file}`).replace(/^--out=/, `--out=${dirname(file)}/`),
      )
      await expectToWork(args)
    }
  } finally {
    await emulator.stop()
  }
})

async function expectToWork(args: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await run(process.execPath, args)
  expect(code, `${args.join(' ')}\n${stdout}${stderr}`).toBe(0)
}
