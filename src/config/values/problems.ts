import { counted } from '../../text.ts'

/** A position in a file, counted from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

export interface ConfigProblem extends Partial<Position> {
  /** `systems[0].auth.token_file`; empty for the file as a whole. */
  readonly path: string
  readonly message: string
}

/** `line 5: systems[0].name`; empty for the file as a whole. */
function placeText({ path, line }: ConfigProblem): string {
  return [...(line === undefined ? [] : [`line ${line}`]), ...(path === '' ? [] : [path])].join(': ')
}

/** Problems that the message of a ConfigError lists. */
const MAX_LISTED = 100
const MAX_SUMMARISED = 10

/** An invalid configuration file, with all problems by line. The message lists the first 100 and never quotes the file. */
export class ConfigError extends Error {
  readonly file: string
  readonly problems: readonly ConfigProblem[]

  constructor(file: string, found: readonly ConfigProblem[]) {
    const problems = found.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
    super(listing(file, problems, MAX_LISTED))
    this.name = 'ConfigError'
    this.file = file
    this.problems = problems
  }

  /** The first ten problems and the number of the others, for log lines. */
  summary(): string {
    return listing(this.file, this.problems, MAX_SUMMARISED)
  }
}

function listing(file: string, problems: readonly ConfigProblem[], max: number): string {
  const lines = problems.slice(0, max).map((problem) => {
    const place = placeText(problem)
    return `  ${place === '' ? '' : `${place}: `}${problem.message}`
  })
  const rest = problems.length - lines.length
  const head = `${file}: ${counted(problems.length, 'problem')}`
  return [head, ...lines, ...(rest > 0 ? [`  and ${counted(rest, 'more problem')}`] : [])].join('\n')
}

export const AUTH_KEY_NAMES = ['token', 'token_file', 'username', 'password', 'password_file'] as const

/** `['systems', 0, 'auth']` → `systems[0].auth`. A key that may be a secret becomes `…`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`
      const key = mayBeSecret(path.slice(0, index + 1)) ? '…' : String(step)
      return index === 0 ? key : `.${key}`
    })
    .join('')
}

/** Keys and user names. A missing space, as in `token:"…"`, turns a secret into part of a key that does not match. */
const KEY = /^[\p{L}\p{N}_.@-]{1,64}$/u

/** Whether the last key of a path may be a secret that became a key by a typing error. */
export function mayBeSecret(path: readonly PropertyKey[]): boolean {
  const [key, parent] = [String(path.at(-1)), path.at(-2)]
  if (parent === 'auth') return !AUTH_KEY_NAMES.some((name) => name === key)
  return !KEY.test(key)
}
