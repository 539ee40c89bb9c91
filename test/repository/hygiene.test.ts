import { describe, expect, test } from 'vitest'
import { readText, repositoryFiles } from './repository.ts'

const files = repositoryFiles()
const TEXT = /\.(ts|js|json|jsonc|ya?ml|md|sh|service|xml|html|css|txt|toml)$|(^|\/)[^.]+$/

interface LockedPackage {
  readonly integrity?: string
  readonly resolved?: string
  readonly link?: boolean
}

describe('dependencies', () => {
  const manifest = JSON.parse(readText('package.json'))
  const lock = JSON.parse(readText('package-lock.json')) as { packages: Record<string, LockedPackage> }
  const packages = Object.entries(lock.packages).filter(([path]) => path !== '')

  test('the runtime dependencies are these', () => {
    expect(Object.keys(manifest.dependencies).sort()).toEqual([
      '@bufbuild/protobuf', // remote write
      '@opentelemetry/otlp-exporter-base', // push
      '@opentelemetry/otlp-transformer', // push
      'bcryptjs', // basic_auth_users of the web configuration file
      'commander',
      'fast-xml-parser',
      'koa',
      'negotiator', // Accept and Accept-Encoding
      'node-cron',
      'p-queue', // concurrency
      'prom-client',
      'snappyjs', // remote write
      'undici',
      'yaml',
      'zod',
    ])
    // Certificates of `emulate --tls`.
    expect(Object.keys(manifest.optionalDependencies)).toEqual(['@peculiar/x509'])
  })

  test('every locked package has a checksum', () => {
    expect(packages.length).toBeGreaterThan(50)
    expect(packages.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([])
  })

  test('every package is from the registry', () => {
    const foreign = packages.filter(
      ([, { resolved, link }]) =>
        link || (resolved !== undefined && new URL(resolved).origin !== 'https://registry.npmjs.org'),
    )
    expect(foreign).toEqual([])
  })
})

describe('files', () => {
  test('there is a licence', () => {
    expect(readText('LICENSE')).toContain('Apache License')
  })

  test('no file has the path of a folder of a developer', () => {
    // Composed, so that this file does not contain them.
    const folders = ['work', 'root'].map((name) => `/${name}/`)
    const texts = files.filter((path) => TEXT.test(path) && path !== 'package-lock.json')
    expect(texts.length).toBeGreaterThan(20)
    expect(texts.filter((path) => folders.some((folder) => readText(path).includes(folder)))).toEqual([])
  })

  test('names of metrics are not composed, so that a search finds them', () => {
    const composed = /sds_(\w*_)?\$\{(?!string\})|sds_(\w*_)?['"`] ?\+/
    const code = files.filter(
      (path) => /\.(ts|js|libsonnet)$/.test(path) && !path.startsWith('src/commands/completion/'),
    )
    expect(code.filter((path) => composed.test(readText(path)))).toEqual([])
  })

  test('no test is skipped', () => {
    const skipped = /\b(test|it|describe)(\.\w+)*\.(only|skip|todo)\b/
    const tests = files.filter((path) => path.endsWith('.test.ts'))
    expect(tests.filter((path) => skipped.test(readText(path)))).toEqual([])
  })
})
