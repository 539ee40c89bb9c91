import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { run } from '../support/processes.ts'

/** What the steps of the stages before the last one run. */
const SHELL_PROGRAMS = ['/bin/sh', '/bin/cp', '/usr/bin/find'] as const

/** An image that a container engine built. */
export interface BuiltImage {
  /** The root of its file system, with the owners and modes of the image. */
  readonly root: string
  readonly config: {
    readonly User?: string
    readonly StopSignal?: string
    readonly Labels?: Readonly<Record<string, string>>
    readonly Healthcheck?: { readonly Test?: readonly string[] }
  }
}

export interface BuildInputs {
  /** An empty folder for the storage of the engine. */
  readonly storage: string
  readonly dockerfile: string
  /** The build context. */
  readonly context: string
  /** Folder with `dist`, and folder with `node_modules`, as the npm commands of the stages produce them. */
  readonly built: string
  readonly dependencies: string
}

/** Makes a tree the context of an image that has exactly this tree. */
export function contextOf(tree: string, user: string): string {
  writeFileSync(join(tree, 'Dockerfile'), `FROM scratch\nCOPY . /\n${user}\n`)
  return tree
}

/** A tree with a shell, and with an npm that copies prepared results. */
export async function makeShell(tree: string): Promise<void> {
  for (const program of SHELL_PROGRAMS) await placeWithLibraries(program, tree)
  mkdirSync(join(tree, 'tmp'))
  writeFileSync(
    join(tree, 'bin/npm'),
    `#!/bin/sh
case "$*" in
  'run build') cp -R /standin/build/dist . ;;
  ci*--omit=dev*) cp -R /standin/dependencies/node_modules . ;;
  ci*) ;;
  *) echo "unexpected: npm $*" >&2; exit 1 ;;
esac
`,
  )
  chmodSync(join(tree, 'bin/npm'), 0o755)
}

async function placeWithLibraries(program: string, tree: string): Promise<void> {
  const { stdout } = await run('ldd', [program])
  const libraries = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, library]) => library ?? '')
  for (const file of [program, ...libraries]) {
    mkdirSync(dirname(join(tree, file)), { recursive: true })
    copyFileSync(file, join(tree, file))
  }
}
