import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { digestOf } from './checksums.ts'
import { PROVENANCE } from './index.ts'
import { output } from './programs.ts'
import { RUNTIMES } from './runtime.ts'

const NAME = 'sds-exporter-archives.provenance.json'
const BUILD_TYPE = 'https://actions.github.io/buildtypes/workflow/v1'
const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Writes the statement from which commit and with which executables of Node.js the archives and packages of a folder were
 * built. The signature of the checksums covers it.
 */
export function writeProvenance(folder: string, repository: string): void {
  const names = readdirSync(folder).filter((name) => /\.(tar\.gz|zip|deb|rpm)$/.test(name))
  const subject = names.toSorted().map((name) => ({ name, digest: { sha256: digestOf(join(folder, name)) } }))
  const commit = output('git', ['rev-parse', 'HEAD'], { cwd: root }).trim()
  const runtimes = Object.values(RUNTIMES.platforms).map(({ package: name, url, sha256 }) => ({
    uri: name === undefined ? url : `pkg:npm/${name}`,
    digest: { sha256 },
  }))
  // Set by GitHub, in the workflow of a release.
  const { GITHUB_REF = '', GITHUB_WORKFLOW_REF = '', GITHUB_RUN_ID = '' } = process.env
  const workflow = {
    ref: GITHUB_REF,
    repository,
    path: GITHUB_WORKFLOW_REF.replace(/@.*|^[^/]*\/[^/]*\//g, ''),
  }
  const predicate = {
    buildDefinition: {
      buildType: BUILD_TYPE,
      externalParameters: { workflow },
      resolvedDependencies: [
        { uri: `git+${repository}@${GITHUB_REF}`, digest: { gitCommit: commit } },
        ...runtimes,
      ],
    },
    runDetails: {
      builder: { id: `https://github.com/${GITHUB_WORKFLOW_REF}` },
      metadata: { invocationId: `${repository}/actions/runs/${GITHUB_RUN_ID}` },
    },
  }
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject,
    predicateType: PROVENANCE,
    predicate,
  }
  writeFileSync(join(folder, NAME), `${JSON.stringify(statement, null, 2)}\n`)
}
