import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { unpackPackage } from '../../../scripts/tools/debian.ts'
import { treeOf } from '../../../scripts/tools/table.ts'
import { run, startProcess } from '../../support/processes.ts'
import { installNode } from '../confinement.ts'
import { type BuildInputs, type BuiltImage, contextOf, makeShell } from '../stand_ins.ts'

/** Debian packages of Docker's daemon, which contains BuildKit, and of the programs that it starts. */
const PACKAGES = ['docker.io', 'containerd', 'runc'] as const
/** Limit for one command on a loaded machine. */
const STEP_TIMEOUT_MS = 240_000
/** The platforms of a release. The last stage runs no command, so none needs an emulator. */
const PLATFORMS = ['linux/arm64', 'linux/amd64'] as const

/**
 * Builds the image with BuildKit for both platforms of a release, by a daemon of its own without networks. Local images
 * stand in for the base images; as the daemon mounts no folder while it builds, one of them contains what npm produced.
 * @returns the image for linux/amd64
 */
export async function buildWithBuildKit(inputs: BuildInputs): Promise<BuiltImage> {
  for (const name of PACKAGES)
    if (!existsSync(treeOf(name))) unpackPackage(name, treeOf(name), () => undefined)
  const folders = PACKAGES.flatMap((name) => [join(treeOf(name), 'usr/sbin'), join(treeOf(name), 'usr/bin')])
  const socket = `unix://${join(inputs.storage, 'docker.sock')}`
  const env = {
    PATH: [...folders, process.env['PATH']].join(delimiter),
    DOCKER_HOST: socket,
    DOCKER_BUILDKIT: '1',
  }
  mkdirSync(inputs.storage, { recursive: true })
  await using daemon = await startProcess('dockerd', daemonArguments(inputs.storage, socket), { env })
  await daemon.waitForOutput(/API listen on/)
  const docker = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await run('docker', args, { env, timeout: STEP_TIMEOUT_MS })
    if (code === 0) return stdout.trim()
    throw new Error(`docker ${args.join(' ')} failed with ${code}:\n${stderr.slice(-3000)}`)
  }
  await buildPlatforms(docker, inputs)
  // Awaited here, because the daemon ends with this function.
  return await unpackImage(docker, inputs.storage)
}

function daemonArguments(storage: string, socket: string): string[] {
  const paths = { 'data-root': 'data', 'exec-root': 'exec', pidfile: 'docker.pid' }
  return [
    ...Object.entries(paths).map(([flag, name]) => `--${flag}=${join(storage, name)}`),
    ...[`--host=${socket}`, '--storage-driver=vfs'],
    ...['--bridge=none', '--iptables=false', '--ip6tables=false', '--ip-forward=false'],
  ]
}

type Docker = (...args: readonly string[]) => Promise<string>

async function buildPlatforms(docker: Docker, inputs: BuildInputs): Promise<void> {
  const shell = join(inputs.storage, 'shell')
  await makeShell(shell)
  cpSync(join(inputs.built, 'dist'), join(shell, 'standin/build/dist'), { recursive: true })
  const packages = join(shell, 'standin/dependencies/node_modules')
  cpSync(join(inputs.dependencies, 'node_modules'), packages, { recursive: true, verbatimSymlinks: true })
  await docker('build', '--tag=shell:1', contextOf(shell, 'USER 0:0'))
  const runtime = join(inputs.storage, 'runtime')
  await installNode(runtime, 'nodejs/bin/node')
  contextOf(runtime, 'USER 65532:65532')
  for (const platform of PLATFORMS) {
    await docker('build', `--platform=${platform}`, '--tag=runtime:1', runtime)
    await docker(
      ...['build', `--platform=${platform}`, '--network=none', '--tag=sds-exporter:test'],
      ...['--build-arg=BUILD_IMAGE=shell:1', '--build-arg=RUNTIME_IMAGE=runtime:1'],
      ...['--file', inputs.dockerfile, inputs.context],
    )
    const built = await docker('inspect', '--format={{.Os}}/{{.Architecture}}', 'sds-exporter:test')
    if (built !== platform) throw new Error(`the image for ${platform} is one for ${built}`)
  }
}

async function unpackImage(docker: Docker, storage: string): Promise<BuiltImage> {
  const [{ Config: config }] = JSON.parse(await docker('inspect', 'sds-exporter:test'))
  const archive = join(storage, 'image.tar')
  await docker('export', `--output=${archive}`, await docker('create', 'sds-exporter:test'))
  const root = join(storage, 'root')
  mkdirSync(root)
  const { code, stderr } = await run('tar', ['--extract', `--file=${archive}`, `--directory=${root}`])
  if (code !== 0) throw new Error(`the image cannot be unpacked: ${stderr}`)
  return { root, config }
}
