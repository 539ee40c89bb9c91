import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { blockIn, withBlock } from './pages.ts'
import { blockOf } from './run.ts'
import { createStage, type Stage } from './stage.ts'
import type { Example } from './table/example.ts'

/** Examples are run so many at a time: most of them wait for requests. */
const PARALLEL = 4

/** A page in which blocks differ from what their commands print now. */
export interface ChangedPage {
  readonly path: string
  readonly text: string
  readonly names: readonly string[]
}

/** Runs the examples. @returns the pages that they change @throws for pages without their blocks */
export async function changedPages(
  examples: readonly Example[],
  root: string,
): Promise<readonly ChangedPage[]> {
  const pages = new Map(examples.map(({ page }) => [page, readFileSync(join(root, page), 'utf8')] as const))
  for (const { page, name } of examples) blockIn(pages.get(page) ?? '', name)
  const blocks = await runAll(examples)
  return [...pages].flatMap(([path, before]) => {
    const own = examples.filter(({ page }) => page === path)
    const changed = own.filter(({ name }) => blockIn(before, name) !== `\n${blocks.get(name)}\n`)
    if (changed.length === 0) return []
    const text = changed.reduce((page, { name }) => withBlock(page, name, blocks.get(name) ?? ''), before)
    return [{ path, text, names: changed.map(({ name }) => name) }]
  })
}

export function writePages(changed: readonly ChangedPage[], root: string): void {
  for (const { path, text } of changed) writeFileSync(join(root, path), text)
}

async function runAll(examples: readonly Example[]): Promise<ReadonlyMap<string, string>> {
  await using stage = await createStage()
  const blocks = new Map<string, string>()
  const waiting = [...examples]
  await Promise.all(Array.from({ length: PARALLEL }, () => runNext(waiting, stage, blocks)))
  return blocks
}

async function runNext(waiting: Example[], stage: Stage, blocks: Map<string, string>): Promise<void> {
  for (let example = waiting.shift(); example !== undefined; example = waiting.shift())
    blocks.set(example.name, await blockOf(example, stage))
}
