import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { validate } from 'dockerfile-utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { imageComponents } from '../../../scripts/supply_chain/image_components.ts'
import { readText, repositoryFiles } from '../../repository/repository.ts'
import { type Folder, temporaryFolder } from '../../support/folders.ts'
import { get } from '../../support/http.ts'
import { freePort } from '../../support/ports.ts'
import { run, startProcess } from '../../support/processes.ts'
import { copyTree, inside, installNode, makeReadOnly, makeRemovable } from '../confinement.ts'
import type { BuiltImage } from '../stand_ins.ts'
import { buildWithBuildKit } from './buildkit.ts'
import { effective, finalStage, parseDockerfile, type Step } from './dockerfile.ts'
import { buildImage } from './engine.ts'
import { DOCKERFILE, isInContext, prepareInputs } from './inputs.ts'

const source = readText(DOCKERFILE)
const steps = parseDockerfile(source)

describe('the Dockerfile', () => {
  // The tests of the image show its user, owners of files, packages, signal and health check.
  test('has valid syntax, tags of base images that are not "latest", and no secret', () => {
    expect(validate(source)).toEqual([])
    for (const image of images(steps)) expect(image).toMatch(/@sha256:|:(?!latest$)[\w.-]+$/)
    const variables = steps.filter(({ keyword }) => keyword === 'ARG' || keyword === 'ENV')
    for (const { text } of variables) expect(text.split('=')[0]).not.toMatch(/pass|secret|token|key/i)
  })

  test('builds and runs with the major version of Node.js in package.json', () => {
    const { engines } = JSON.parse(readText('package.json'))
    const major = /\d+/.exec(engines.node)?.[0]
    const [build, , runtime] = images(steps)
    expect(build).toContain(`/node:${major}-`)
    expect(runtime).toContain(`/nodejs${major}-`)
  })

  test('copies only files that exist in the build context', () => {
    const copied = steps
      .filter(({ keyword, flags }) => keyword === 'COPY' && !('--from' in flags))
      .flatMap(({ text }) => text.split(/\s+/).slice(0, -1))
    expect(copied).toContain('src')
    const files = repositoryFiles().filter(isInContext)
    const exists = (path: string) => files.some((file) => file === path || file.startsWith(`${path}/`))
    expect(copied.filter((path) => !exists(path))).toEqual([])
    expect(files.filter((file) => /^(test|\.git|\.cache|node_modules|dist)\b/.test(file))).toEqual([])
  })
})

/** `buildkit`; otherwise buildah builds the image. */
const build = process.env['IMAGE_ENGINE'] === 'buildkit' ? buildWithBuildKit : buildImage

/** Builds the image with a container engine; without one, follows the steps of the Dockerfile. */
describe('the image', () => {
  let folder: Folder
  let root: string
  let config: BuiltImage['config']

  beforeAll(async () => {
    folder = temporaryFolder()
    root = join(folder.path, 'root')
    const inputs = await prepareInputs(folder.path)
    const built = await build(inputs)
    if (typeof built !== 'string') {
      ;({ root, config } = built)
      return
    }
    process.stderr.write(`the image is not built, its steps are followed without an engine: ${built}\n`)
    config = stepsConfig()
    const [, removal] = steps.filter(({ stage, keyword }) => stage === 1 && keyword === 'RUN')
    const removed = await run('sh', ['-c', removal?.text ?? 'false'], { cwd: inputs.dependencies })
    expect(removed).toMatchObject({ code: 0 })
    followSteps(root, { build: inputs.built, dependencies: inputs.dependencies })
    await installNode(root, 'nodejs/bin/node')
    makeReadOnly(root)
  }, 480_000)

  afterAll(() => {
    if (existsSync(root)) makeRemovable(root)
    folder[Symbol.dispose]()
  })

  test('has the user, the signal, the health check and the version', () => {
    expect(config).toMatchObject({
      User: '65532:65532',
      StopSignal: 'SIGTERM',
      Labels: { 'org.opencontainers.image.version': JSON.parse(readText('package.json')).version },
    })
    const labels = ['title', 'description', 'licenses', 'version', 'revision', 'source', 'created']
    const keys = labels.map((label) => `org.opencontainers.image.${label}`)
    expect(Object.keys(config.Labels ?? {})).toEqual(expect.arrayContaining(keys))
    expect(config.Healthcheck?.Test).toEqual(['CMD', '/nodejs/bin/node', '/app/dist/main.js', 'health'])
  })

  test('has files that its user cannot replace', async () => {
    const app = join(root, 'app')
    const names = ['', ...readdirSync(app, { recursive: true }).map(String)]
    const entries = names.map((name) => lstatSync(join(app, name)))
    expect(entries.length).toBeGreaterThan(100)
    const owner = process.getuid?.()
    expect(entries.filter(({ uid }) => uid !== owner)).toEqual([])
    expect(entries.filter((entry) => !entry.isSymbolicLink() && (entry.mode & 0o022) !== 0)).toEqual([])
    const script = "require('node:fs').renameSync('/app/dist', '/app/other')"
    const { command, args, options } = inside(root, ['/nodejs/bin/node', '--eval', script])
    const { code, stderr } = await run(command, args, options)
    expect(code).toBe(1)
    expect(stderr).toMatch(/EACCES|EPERM|EROFS/)
  })

  const entrypoint = effective(steps, 'ENTRYPOINT')?.exec ?? []
  const program = (...args: string[]) => inside(root, [...entrypoint, ...args])

  test('contains the locked production packages and no others', () => {
    const { packages } = JSON.parse(readText('package-lock.json')) as {
      packages: Record<string, { dev?: boolean; optional?: boolean; devOptional?: boolean }>
    }
    const wanted = Object.entries(packages)
      .filter(([path, { dev, optional, devOptional }]) => path !== '' && !dev && !optional && !devOptional)
      .map(([path]) => path)
    const installed = JSON.parse(readFileSync(join(root, 'app/node_modules/.package-lock.json'), 'utf8'))
    expect(Object.keys(installed.packages).sort()).toEqual(wanted.sort())
    expect(existsSync(join(root, 'app/node_modules/typescript'))).toBe(false)
  })

  test('contains no types, maps and pages of packages, but their licences', () => {
    const files = readdirSync(join(root, 'app/node_modules'), { recursive: true }).map(String)
    const [licences, others] = [true, false].map((is) =>
      files.filter((file) => /licen[cs]e/i.test(file) === is),
    )
    expect(others?.filter((file) => /\.(?:[cm]?ts|map|md)$/.test(file))).toEqual([])
    expect(licences?.length).toBeGreaterThan(60)
  })

  test('has the components of its bill of materials, and no others', async () => {
    const print = ['/nodejs/bin/node', '--print', 'JSON.stringify(process.versions)']
    const { command, args, options } = inside(root, print)
    const versions = JSON.parse((await run(command, args, options)).stdout)
    const bill = imageComponents(root, versions).map(({ purl }) => purl)
    const installed = JSON.parse(readFileSync(join(root, 'app/node_modules/.package-lock.json'), 'utf8'))
    const packages = Object.entries<{ version: string }>(installed.packages).map(([path, one]) => {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
      return `pkg:npm/${name.replace('@', '%40')}@${one.version}`
    })
    const ofNode = [`pkg:generic/node@${versions.node}`, `pkg:generic/openssl@${versions.openssl}`]
    expect(bill).toEqual(expect.arrayContaining([...packages, ...ofNode]))
    const others = bill.filter((purl) => !purl?.startsWith('pkg:generic/') && !packages.includes(purl ?? ''))
    // The stand-in of the base image has no system packages; the release compares those of the real one.
    expect(others).toEqual([])
  })

  test('contains no native code', () => {
    const files = readdirSync(join(root, 'app'), { recursive: true }).map(String)
    expect(files.filter((file) => file.endsWith('.node') || file.endsWith('binding.gyp'))).toEqual([])
  })

  test('prints its version, with an empty environment', async () => {
    const { command, args, options } = program('--version')
    const stdout = `${JSON.parse(readText('package.json')).version}\n`
    expect(await run(command, args, options)).toMatchObject({ code: 0, stdout, stderr: '' })
  })

  test('runs read-only and unprivileged, is healthy, serves metrics and stops on its STOPSIGNAL', async () => {
    const port = await freePort()
    const address = `--web.listen-address=127.0.0.1:${port}`
    const flags = [address, '--admin.listen-address=', '--pools=1', '--nodes=2']
    const { command, args, options } = program('demo', ...flags)
    await using child = await startProcess(command, args, options)
    await child.waitForOutput(/Open in a browser/)
    const check = inside(root, [...(effective(steps, 'HEALTHCHECK')?.exec ?? []), address])
    const checked = await run(check.command, check.args, check.options)
    expect(checked).toMatchObject({ code: 0, stdout: 'healthy\n' })
    const metrics = async () => (await get(`http://127.0.0.1:${port}/metrics`)).text
    await expect.poll(metrics).toContain('sds_node_info{')
    child.kill((effective(steps, 'STOPSIGNAL')?.text ?? '') as NodeJS.Signals)
    expect(await child.exited).toEqual({ code: 0, signal: null })
  })

  test('emulates without TLS only, because the certificate library is optional', async () => {
    const { command, args, options } = program('emulate', '--tls', '--listen-address=127.0.0.1:0')
    const { code, stderr } = await run(command, args, options)
    expect(code).toBe(1)
    expect(stderr).toContain('--tls needs the package @peculiar/x509')
  })

  test('is not healthy while the port is closed', async () => {
    const address = `--web.listen-address=:${await freePort()}`
    const check = inside(root, [...(effective(steps, 'HEALTHCHECK')?.exec ?? []), address])
    expect(await run(check.command, check.args, check.options)).toMatchObject({ code: 1, stdout: '' })
  })
})

/** Copies into `root` what the last stage copies. */
function followSteps(root: string, stages: Readonly<Record<'build' | 'dependencies', string>>): void {
  const folderOf = (stage: string | undefined) =>
    stage === 'dependencies' ? stages.dependencies : stages.build
  const workdir = effective(steps, 'WORKDIR')?.text ?? ''
  for (const { flags, text } of finalStage(steps).filter(({ keyword }) => keyword === 'COPY')) {
    const from = folderOf(flags['--from'])
    const [target = '', ...sources] = text.split(/\s+/).reverse()
    for (const one of sources) {
      const name = target.endsWith('/') ? join(target, basename(one)) : target
      copyTree(join(from, one.replace(/^\/build\//, '')), join(root, workdir, name))
    }
  }
}

/** What an engine would make of the labels. `$VERSION` is the only variable that is not empty. */
function stepsConfig(): BuiltImage['config'] {
  const labels = [...(effective(steps, 'LABEL')?.text ?? '').matchAll(/([\w.]+)="([^"]*)"/g)]
  const [, version = ''] = steps.find(({ text }) => text.startsWith('VERSION='))?.text.split('=') ?? []
  const values = labels.map(([, name = '', value = '']) => [name, value.startsWith('$') ? version : value])
  return {
    User: effective(steps, 'USER')?.text ?? '',
    StopSignal: effective(steps, 'STOPSIGNAL')?.text ?? '',
    Labels: Object.fromEntries(values),
    Healthcheck: { Test: ['CMD', ...(effective(steps, 'HEALTHCHECK')?.exec ?? [])] },
  }
}

/** Base images, with the defaults of build arguments substituted, without names of earlier stages. */
function images(all: readonly Step[]): readonly string[] {
  const named = (keyword: string) => all.filter((step) => step.keyword === keyword).map(({ text }) => text)
  const defaults = new Map(named('ARG').map((text) => text.split('=') as [string, string | undefined]))
  const stages = new Set(named('FROM').map((text) => / AS (\S+)$/i.exec(text)?.[1] ?? ''))
  return named('FROM')
    .map((text) =>
      (text.split(' ')[0] ?? '').replaceAll(/\$\{(\w+)\}/g, (_, name) => defaults.get(name) ?? ''),
    )
    .filter((image) => !stages.has(image))
}
