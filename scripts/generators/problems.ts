/** What must be changed in the sources, one line each: the file, and what to add. */
export class SourceProblems extends Error {
  readonly lines: readonly string[]

  constructor(lines: readonly string[]) {
    super(lines.join('\n'))
    this.lines = lines
  }
}

/** Folders whose code checks the rows of others. */
const CHECKING = ['grafana/mixin/sdk/', 'grafana/mixin/promql/', 'scripts/']

/** The lines of an error, without its stack; an error without a file gets the one whose row was evaluated. */
export function problemsOf(error: unknown, root: string): readonly string[] {
  if (error instanceof AggregateError) return error.errors.flatMap((one) => problemsOf(one, root))
  if (error instanceof SourceProblems) return error.lines
  if (!(error instanceof Error)) return [String(error)]
  const places = [...(error.stack ?? '').matchAll(/([\w./+-]+\.ts):(\d+):\d+/g)].flatMap(
    ([, path = '', line]) => {
      const start = path.indexOf(root)
      return start < 0 ? [] : [{ file: path.slice(start + root.length), line }]
    },
  )
  const row = places.find(({ file }) => !CHECKING.some((folder) => file.startsWith(folder)))
  return [row === undefined ? error.message : `${row.file}:${row.line}: ${error.message}`]
}
