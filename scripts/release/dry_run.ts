/**
 * Does what a release does, with a registry of this machine and a key that is thrown away, and checks the result as its
 * users do: signatures, bills of materials, provenance, checksums, what the chart installs, and the commands of
 * docs/install-release.md.
 *
 *   npm run release:dry-run
 *   npm run release:dry-run -- --image=localhost:5000/sds-exporter@sha256:… --charts=localhost:5000/charts
 *
 * Without an image it builds one on stand-ins for the base images, which needs buildah, and starts a registry in memory.
 * Builds crane, Helm and cosign, unless cosign is in PATH, from the Go module proxy. Needs Go.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort } from '../../test/support/ports.ts'
import { parseReference, type Reference } from './index.ts'
import { built } from './programs.ts'
import { rehearse } from './rehearsal.ts'
import { pushStandIn } from './stand_in.ts'

const { values } = parseArgs({ options: { image: { type: 'string' }, charts: { type: 'string' } } })
const folder = mkdtempSync(join(tmpdir(), 'sds-release-'))
try {
  const { image, charts } = values
  if (image !== undefined && charts !== undefined) check(parseReference(image), charts)
  else
    await withRegistry(async (registry) => check(await pushStandIn(registry, folder), `${registry}/charts`))
} catch (failure) {
  process.stderr.write(`release: ${failure instanceof Error ? failure.message : String(failure)}\n`)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function check(image: Reference, charts: string): void {
  for (const line of rehearse(image, charts, join(folder, 'work'))) process.stdout.write(`${line}\n`)
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
