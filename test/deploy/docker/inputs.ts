import { join } from 'node:path'
import { readText } from '../../repository/repository.ts'
import { copyCheckout, linkPackages, npm } from '../checkout.ts'
import type { BuildInputs } from '../stand_ins.ts'
import { parseDockerfile } from './dockerfile.ts'

export const DOCKERFILE = 'deploy/docker/Dockerfile'

/** Whether a path of the repository is in the build context. */
export const isInContext = allowList(readText('.dockerignore'))

/** Selects the build context of a .dockerignore that ignores everything except listed paths. */
function allowList(text: string): (path: string) => boolean {
  const [first, ...rest] = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  if (first !== '*' || rest.some((line) => !line.startsWith('!')))
    throw new Error('.dockerignore must be `*` and exceptions that start with `!`')
  const allowed = rest.map((line) => line.slice(1))
  return (path) => allowed.some((entry) => path === entry || path.startsWith(`${entry}/`))
}

/** Runs the commands of npm of the Dockerfile, whose results an engine without a network needs. */
export async function prepareInputs(folder: string): Promise<BuildInputs> {
  const [built, dependencies] = [join(folder, 'build'), join(folder, 'dependencies')]
  copyCheckout(built, isInContext)
  linkPackages(built)
  await npm(commandOf(0, 'npm run'), built)
  copyCheckout(dependencies, (path) => isInContext(path) && !path.includes('/'))
  await npm(`${commandOf(1, 'npm ci')} --prefer-offline`, dependencies)
  return { storage: join(folder, 'engine'), dockerfile: DOCKERFILE, context: built, built, dependencies }
}

/** The arguments of npm in the RUN instruction of a stage with this prefix. */
function commandOf(stage: number, prefix: string): string {
  const found = parseDockerfile(readText(DOCKERFILE)).find(
    (step) => step.stage === stage && step.keyword === 'RUN' && step.text.startsWith(prefix),
  )
  if (found === undefined) throw new Error(`stage ${stage} of the Dockerfile has no RUN ${prefix}`)
  return found.text.replace(/^npm /, '')
}
