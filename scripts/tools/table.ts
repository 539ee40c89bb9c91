import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the tools of the tests are kept; git ignores it. The variable is for tests with other versions of them. */
export const TOOLS_FOLDER =
  process.env['TEST_TOOLS_FOLDER'] ?? fileURLToPath(new URL('../../.cache/tools/', import.meta.url))

interface ToolRow {
  /** The Debian package that brings it. */
  readonly package: string
  /** Names it goes by on a PATH, the likeliest first. */
  readonly commands: readonly string[]
  /** The version in Debian 12, which the tests are written for: major and minor. */
  readonly atLeast: readonly [number, number]
  /** Arguments that make it print its version; `--version` unless given. */
  readonly versionArguments?: readonly string[]
  /** How it comes: unpacked into the cache (needs no root), or installed (too many libraries to unpack). */
  readonly comes: 'unpacked' | 'installed'
}

/** The programs of others that the tests run. */
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
  // Its libraries are found by absolute paths; without an init system the package starts nothing.
  'systemd-analyze': {
    package: 'systemd',
    commands: ['systemd-analyze'],
    atLeast: [252, 0],
    comes: 'installed',
  },
} as const satisfies Record<string, ToolRow>

export type Tool = keyof typeof TOOLS
export const TOOL_NAMES = Object.keys(TOOLS) as readonly Tool[]

/** Arguments that make a tool print its version. */
export function versionArgumentsOf(tool: Tool): readonly string[] {
  const row: ToolRow = TOOLS[tool]
  return row.versionArguments ?? ['--version']
}

/** The link in the cache under which a tool is found, whatever provides it. */
export function linkOf(tool: Tool): string {
  return join(TOOLS_FOLDER, 'bin', tool)
}

/** Where a package that is unpacked lies: the root of its file tree. */
export function treeOf(debianPackage: string): string {
  return join(TOOLS_FOLDER, 'packages', debianPackage)
}
