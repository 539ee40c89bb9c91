/** One thing that is wrong with a configuration file: where in the file, and what to do. */
export interface Problem {
  /** As a person would write it: `systems[0].auth.token_file`; empty for the file as a whole. */
  readonly path: string
  readonly message: string
}

/** The configuration cannot be used. Carries every problem found, never a value of the file. */
export class ConfigError extends Error {
  readonly file: string
  readonly problems: readonly Problem[]

  constructor(file: string, problems: readonly Problem[]) {
    super(
      [
        `${file}: ${problems.length === 1 ? '1 problem' : `${problems.length} problems`}`,
        ...lines(problems),
      ].join('\n'),
    )
    this.name = 'ConfigError'
    this.file = file
    this.problems = problems
  }
}

function lines(problems: readonly Problem[]): string[] {
  return problems.map(({ path, message }) => `  ${path === '' ? '' : `${path}: `}${message}`)
}

/** `['systems', 0, 'auth']` → `systems[0].auth`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${String(step)}`,
    )
    .join('')
}
