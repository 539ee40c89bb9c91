import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the tools, ignored by git. TEST_TOOLS_FOLDER replaces it, for tests with other versions. */
export const TOOLS_FOLDER =
  process.env['TEST_TOOLS_FOLDER'] ?? fileURLToPath(new URL('../../.cache/tools/', import.meta.url))

interface ToolRow {
  /** The Debian package that contains it. */
  readonly package: string
  /** Names of the program in PATH, in order of preference. */
  readonly commands: readonly string[]
  /** Minimum version, major and minor: that of Debian 12. */
  readonly atLeast: readonly [number, number]
  /** Arguments that make it print its version; `--version` unless given. */
  readonly versionArguments?: readonly string[]
  /** Unpacked into the cache, which needs no root, or installed, because of its many libraries. */
  readonly comes: 'unpacked' | 'installed'
}

/** External programs that the tests run. */
export const TOOLS = {
  prometheus: { package: 'prometheus', commands: ['prometheus'], atLeast: [2, 42], comes: 'unpacked' },
  promtool: { package: 'prometheus', commands: ['promtool'], atLeast: [2, 42], comes: 'unpacked' },
  alertmanager: {
    package: 'prometheus-alertmanager',
    commands: ['alertmanager', 'prometheus-alertmanager'],
    atLeast: [0, 25],
    comes: 'unpacked',
  },
  amtool: { package: 'prometheus-alertmanager', commands: ['amtool'], atLeast: [0, 25], comes: 'unpacked' },
  // Debian's build prints no version.
  'victoria-metrics': {
    package: 'victoria-metrics',
    commands: ['victoria-metrics', 'victoria-metrics-prod'],
    atLeast: [1, 79],
    versionArguments: ['-version'],
    comes: 'unpacked',
  },
  chromium: {
    package: 'chromium',
    commands: ['chromium', 'chromium-browser', 'google-chrome'],
    atLeast: [120, 0],
    comes: 'installed',
  },
  kubectl: {
    package: 'kubernetes-client',
    commands: ['kubectl'],
    atLeast: [1, 20],
    versionArguments: ['version', '--client'],
    comes: 'unpacked',
  },
  curl: { package: 'curl', commands: ['curl'], atLeast: [7, 88], comes: 'installed' },
  jsonnet: { package: 'jsonnet', commands: ['jsonnet'], atLeast: [0, 18], comes: 'unpacked' },
  // Shells find their functions by absolute paths.
  fish: { package: 'fish', commands: ['fish'], atLeast: [3, 6], comes: 'installed' },
  zsh: { package: 'zsh', commands: ['zsh'], atLeast: [5, 9], comes: 'installed' },
  rpm: { package: 'rpm', commands: ['rpm'], atLeast: [4, 18], comes: 'installed' },
  // It loads libraries by absolute paths. Without an init system the package starts no service.
  'systemd-analyze': {
    package: 'systemd',
    commands: ['systemd-analyze'],
    atLeast: [252, 0],
    comes: 'installed',
  },
} as const satisfies Record<string, ToolRow>

/** A container engine. Not every machine allows one to work, so it is optional. */
export const ENGINE = { package: 'buildah', path: '/usr/bin/buildah' } as const

export type Tool = keyof typeof TOOLS
export const TOOL_NAMES = Object.keys(TOOLS) as readonly Tool[]

/** Arguments that make a tool print its version. */
export function versionArgumentsOf(tool: Tool): readonly string[] {
  const row: ToolRow = TOOLS[tool]
  return row.versionArguments ?? ['--version']
}

/** The path of a tool: a link in the cache. */
export function linkOf(tool: Tool): string {
  return join(TOOLS_FOLDER, 'bin', tool)
}

/** The folder of an unpacked package. */
export function treeOf(debianPackage: string): string {
  return join(TOOLS_FOLDER, 'packages', debianPackage)
}
