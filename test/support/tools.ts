import { existsSync } from 'node:fs'
import { linkOf, type Tool } from '../../scripts/tools/table.ts'

/** The path of a program that `scripts/tools.ts` provides. */
export function toolPath(tool: Tool): string {
  const path = linkOf(tool)
  if (existsSync(path)) return path
  throw new Error(`${tool} is missing; install it with: npx node scripts/tools.ts`)
}
