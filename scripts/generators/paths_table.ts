import { ADMIN_PATHS, METRICS_PATHS, type PathRow } from '../../src/server/paths.ts'
import { code, markdownTable } from '../markdown/markdown.ts'
import { pageWith } from '../markdown/page.ts'

const HEAD = ['Path', 'Method', 'Content', 'What', 'Access', 'Limit']
/** Of two paths to the same, the one that names the system. */
const inFull = Object.fromEntries(
  Object.entries(ADMIN_PATHS).filter(([path]) => !Object.hasOwn(ADMIN_PATHS, `/systems/:system${path}`)),
)

/** docs/commands.md with the paths of both listeners. */
export const commandsPage = () =>
  pageWith('docs/commands.md', { metrics_paths: tableOf(METRICS_PATHS), admin_paths: tableOf(inFull) })

const tableOf = (paths: Readonly<Record<string, PathRow>>): string =>
  markdownTable(HEAD, Object.entries(paths).map(row))

const row = ([path, { method, content, description, documentation, limit, ...access }]: [
  string,
  PathRow,
]): string[] => [
  `[${code(path)}](${documentation})`,
  method,
  content,
  description,
  access.isOpen ? 'everybody' : access.hasToken ? 'users, with a token of the system' : 'users',
  limit ?? '',
]
