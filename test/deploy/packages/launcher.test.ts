import { chmodSync, copyFileSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Folder, temporaryFolder } from '../../support/folders.ts'
import { run, startProcess } from '../../support/processes.ts'

/** In place of the program: prints its process and its arguments, once SIGTERM ends it with 3. */
const PROGRAM = `
if (process.argv[2] === 'wait') {
  process.on('SIGTERM', () => process.exit(3))
  setInterval(() => undefined, 1000)
} else process.exitCode = 5
process.stdout.write(JSON.stringify([process.pid, ...process.argv.slice(2)]) + '\\n')
`

describe('the program of an archive', () => {
  let folder: Folder
  let program: string

  beforeAll(() => {
    folder = temporaryFolder()
    const archive = join(folder.path, 'a folder')
    for (const name of ['bin', 'app/dist']) mkdirSync(join(archive, name), { recursive: true })
    symlinkSync(process.execPath, join(archive, 'bin/node'))
    folder.write('a folder/app/dist/main.js', PROGRAM)
    program = join(archive, 'sds-exporter')
    copyFileSync('deploy/packages/sds-exporter', program)
    chmodSync(program, 0o755)
    mkdirSync(join(folder.path, 'links'))
    symlinkSync('../a folder/sds-exporter', join(folder.path, 'links/relative'))
    symlinkSync(join(folder.path, 'links/relative'), join(folder.path, 'links/sds-exporter'))
  })

  afterAll(() => folder[Symbol.dispose]())

  test.each([
    ['its path', '/', () => program],
    ['a relative path', 'links', () => '../a folder/sds-exporter'],
    ['symbolic links', '/', () => join(folder.path, 'links/sds-exporter')],
    ['PATH', '/', () => 'sds-exporter'],
  ])('is started by %s, with its arguments and its exit code', async (_, cwd, path) => {
    const env = { PATH: `${folder.path}/links:/usr/bin:/bin`, CDPATH: folder.path }
    const done = await run('/bin/sh', ['-c', 'exec "$0" "$@"', path(), 'a b', ''], {
      cwd: join(cwd === '/' ? '/' : folder.path, cwd),
      env,
    })
    expect(done).toMatchObject({ code: 5, stderr: '' })
    expect(JSON.parse(done.stdout).slice(1)).toEqual(['a b', ''])
  })

  test('is one process, which gets signals', async () => {
    await using child = await startProcess(program, ['wait'])
    const [, printed = ''] = await child.waitForOutput(/^(\[.*\])$/m)
    expect(JSON.parse(printed)[0]).toBe(child.pid)
    expect(await child.stop()).toEqual({ code: 3, signal: null })
  })
})
