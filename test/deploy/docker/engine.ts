import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ENGINE } from '../../../scripts/tools/table.ts'
import { run } from '../../support/processes.ts'
import { installNode } from '../confinement.ts'
import { type BuildInputs, type BuiltImage, contextOf, makeShell } from '../stand_ins.ts'

/** Limit for one command on a loaded machine. */
const STEP_TIMEOUT_MS = 240_000
/**
 * Builds the image with buildah. Local images stand in for the base images, which are in registries: one with the
 * Node.js of the test and an unprivileged user, and one with a shell whose `npm` copies what npm has produced before.
 * @returns why it cannot be built, if there is no engine or the machine does not allow it to work
 */
export async function buildImage(inputs: BuildInputs): Promise<BuiltImage | string> {
  if (process.getuid?.() !== 0 || !existsSync(ENGINE.path))
    return 'buildah is not installed, or the user is not root'
  const engine = createEngine(inputs.storage)
  const runtime = join(inputs.storage, 'runtime')
  await installNode(runtime, 'nodejs/bin/node')
  const shell = join(inputs.storage, 'shell')
  await makeShell(shell)
  await engine('bud', '--tag', 'runtime:1', contextOf(runtime, 'USER 65532:65532'))
  await engine('bud', '--tag', 'shell:1', contextOf(shell, 'USER 0:0'))
  const probe = join(inputs.storage, 'probe')
  mkdirSync(probe)
  writeFileSync(join(probe, 'Dockerfile'), 'FROM localhost/shell:1\nRUN true\n')
  const probed = await attempt(inputs.storage, 'bud', '--isolation=chroot', probe)
  if (probed.code !== 0) return `buildah cannot run commands here: ${probed.stderr.trim().split('\n').at(-1)}`
  await engine(
    ...['bud', '--isolation=chroot', '--format=docker', '--tag=sds-exporter:test'],
    ...['--build-arg=BUILD_IMAGE=localhost/shell:1', '--build-arg=RUNTIME_IMAGE=localhost/runtime:1'],
    ...[
      `--volume=${inputs.built}:/standin/build:ro`,
      `--volume=${inputs.dependencies}:/standin/dependencies:ro`,
    ],
    ...['--file', inputs.dockerfile, inputs.context],
  )
  const inspected = JSON.parse(await engine('inspect', '--type=image', 'localhost/sds-exporter:test'))
  const container = await engine('from', '--pull-never', 'localhost/sds-exporter:test')
  return { root: await engine('mount', container), config: inspected.Docker.config }
}

type Engine = (...args: readonly string[]) => Promise<string>

function attempt(storage: string, ...args: readonly string[]) {
  const places = [
    `--root=${join(storage, 'storage')}`,
    `--runroot=${join(storage, 'run')}`,
    '--storage-driver=vfs',
  ]
  return run(ENGINE.path, [...places, ...args], { timeout: STEP_TIMEOUT_MS })
}

/** Runs a command of the engine and returns its output. */
function createEngine(storage: string): Engine {
  return async (...args) => {
    const { code, stdout, stderr } = await attempt(storage, ...args)
    if (code === 0) return stdout.trim()
    throw new Error(
      `buildah ${args.join(' ')} failed with ${code}:\n${stdout.slice(-2000)}${stderr.slice(-2000)}`,
    )
  }
}
