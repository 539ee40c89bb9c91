import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'

/** A component of a bill of materials in the form of CycloneDX. */
export interface Component {
  readonly type: 'application' | 'library'
  readonly name: string
  readonly version: string
  readonly purl?: string
  readonly licenses?: readonly { readonly expression: string }[]
}

/** The versions that Node.js reports, by the name of the part: `node`, `openssl`, `v8` and others. */
export type NodeVersions = Readonly<Record<string, string>>

const DEBIAN_STATUS = 'var/lib/dpkg/status.d'
/** Numbers of interfaces, not versions of parts. */
const INTERFACES = ['modules', 'napi']

/**
 * What the file system of an image, or an archive, has: npm packages, Debian packages, Node.js and the libraries that
 * are compiled into it. They are sorted by type and name.
 * @param root folder with the file system of the image, or the content of the archive
 */
export function imageComponents(root: string, versions: NodeVersions): Component[] {
  const components = [...nodeComponents(versions), ...debianComponents(root), ...npmComponents(root)]
  return components.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

const keyOf = ({ type, purl = '', name, version }: Component): string => [type, purl, name, version].join(' ')

/** The document as CycloneDX 1.6. */
export function billOfMaterials(
  subject: { readonly type: 'application' | 'container'; readonly name: string; readonly version: string },
  components: readonly Component[],
): object {
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: subject },
    components,
  }
}

function nodeComponents({ node = '', ...parts }: NodeVersions): Component[] {
  const libraries = Object.entries(parts).filter(([name]) => !INTERFACES.includes(name))
  return [
    { type: 'application', name: 'node', version: node, purl: `pkg:generic/node@${node}` },
    ...libraries.map(([name, version]): Component => {
      const purl = `pkg:generic/${name}@${encodeURIComponent(version)}`
      return { type: 'library', name, version, purl }
    }),
  ]
}

/** Images without a package manager have one file for each package, in the form of dpkg's status. */
function debianComponents(root: string): Component[] {
  const folder = `${root}/${DEBIAN_STATUS}`
  if (!existsSync(folder)) return []
  const files = readdirSync(folder).filter((name) => !name.includes('.md5sums'))
  return files.map((file): Component => {
    const text = readFileSync(`${folder}/${file}`, 'utf8')
    const field = (key: string) => new RegExp(`^${key}: (.*)$`, 'm').exec(text)?.[1]?.trim() ?? ''
    const [name, version] = [field('Package'), field('Version')]
    const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${field('Architecture')}`
    return { type: 'library', name, version, purl }
  })
}

interface Manifest {
  readonly name?: string
  readonly version?: string
  readonly license?: string
}

/** Package files with a name and a version; others only set the type of the modules of a folder. */
function npmComponents(root: string): Component[] {
  const files = globSync('app/node_modules/**/package.json', { cwd: root })
  const found = files.flatMap((file): [string, Component][] => {
    const manifest = JSON.parse(readFileSync(`${root}/${file}`, 'utf8')) as Manifest
    const { name, version, license } = manifest
    if (name === undefined || version === undefined || !isPackageFolder(file, name)) return []
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
    const licenses = license === undefined ? {} : { licenses: [{ expression: license }] }
    return [[purl, { type: 'library', name, version, purl, ...licenses }]]
  })
  return [...new Map(found).values()]
}

/** Packages of other programs, such as examples and tests, are not installed. */
const isPackageFolder = (file: string, name: string): boolean =>
  file.endsWith(`node_modules/${name}/package.json`)
