/**
 * Does what a release does, with a registry of this machine and a key that is thrown away, and checks the result as its
 * users do: signatures, bills of materials, provenance, checksums, what the chart installs, archives and packages, and
 * commands of docs/install-release.md.
 *
 *   npm run release:dry-run
 *   npm run release:dry-run -- --image=localhost:5000/sds-exporter@sha256:… --charts=localhost:5000/charts
 *
 * Without an image it builds one on stand-ins for the base images, which needs buildah, and starts a registry in memory.
 * Builds crane, Helm and cosign, unless cosign is in PATH, from the Go module proxy. Needs Go,
 * and rpm and root to install packages.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { REPOSITORY, rehearse } from '../../test/deploy/rehearsal/rehearsal.ts'
import { pushStandIn } from '../../test/deploy/rehearsal/stand_in.ts'
import { freePort } from '../../test/support/ports.ts'
import { writeArchives } from './archives.ts'
import { parseReference, type Reference } from './index.ts'
import { built } from './programs.ts'

const { values } = parseArgs({ options: { image: { type: 'string' }, charts: { type: 'string' } } })
const folder = mkdtempSync(join(tmpdir(), 'sds-release-'))
try {
  const { image, charts } = values
  const archives = join(folder, 'archives')
  writeArchives(archives, { repository: REPOSITORY, nearest: true })
  const check = (reference: Reference, place: string) => {
    for (const line of rehearse(reference, place, archives, join(folder, 'work')))
      process.stdout.write(`${line}\n`)
  }
  if (image !== undefined && charts !== undefined) check(parseReference(image), charts)
  else
    await withRegistry(async (registry) => check(await pushStandIn(registry, folder), `${registry}/charts`))
  testInstallation(archives)
} catch (failure) {
  process.stderr.write(`release: ${failure instanceof Error ? failure.message : String(failure)}\n`)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Unpacks, installs, upgrades and removes what was written, as the tests of the project `release` do. */
function testInstallation(archives: string): void {
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--project=release', 'test/deploy/packages']
  const env = { ...process.env, RELEASE_FILES: archives }
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env })
  if (status !== 0) throw new Error('the tests of archives and packages failed')
}

/** Runs an action with a registry in memory, which ends with it. */
async function withRegistry(action: (registry: string) => Promise<void>): Promise<void> {
  const address = `127.0.0.1:${await freePort()}`
  const child = spawn(built('registry'), ['-port', address.split(':')[1] ?? ''], { stdio: 'ignore' })
  try {
    for (let tries = 0; tries < 100 && !(await answers(address)); tries += 1) await sleep(100)
    await action(address)
  } finally {
    child.kill()
  }
}

async function answers(address: string): Promise<boolean> {
  const response = await fetch(`http://${address}/v2/`).catch(() => undefined)
  return response?.ok === true
}
