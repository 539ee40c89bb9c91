import { parseAst } from 'vitest/node'

/** A function, method or arrow function that is not inside another one. */
export interface OutermostFunction {
  /** The name it is declared with or assigned to; `anonymous` without one. */
  readonly name: string
  /** From its first to its last line, including closures and blank lines, without lines of comments. */
  readonly lines: number
}

interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
}

const FUNCTION_TYPES = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']

/** The outermost functions of a TypeScript or JavaScript file. */
export function outermostFunctionsOf(source: string): OutermostFunction[] {
  return functionsIn(parseAst(source, { lang: 'ts' }), source, 'anonymous')
}

function functionsIn(value: unknown, source: string, outerName: string): OutermostFunction[] {
  if (Array.isArray(value)) return value.flatMap((item) => functionsIn(item, source, outerName))
  if (typeof value !== 'object' || value === null) return []
  const name = nameOf(value) ?? outerName
  if (isSyntaxNode(value) && FUNCTION_TYPES.includes(value.type)) {
    return [{ name, lines: codeLines(source.slice(value.start, value.end)) }]
  }
  return Object.values(value).flatMap((child) => functionsIn(child, source, name))
}

/** Lines without those of comments: the methods that a factory returns have their docstrings inside of it. */
function codeLines(source: string): number {
  return source.split('\n').filter((line) => !/^\s*(\/\/|\/\*\*|\*)/.test(line)).length
}

function isSyntaxNode(value: object): value is SyntaxNode {
  return 'type' in value && 'start' in value && 'end' in value
}

/** The name of a declaration is its `id`, that of a property or method its `key`. */
function nameOf(node: object): string | undefined {
  const { id, key } = node as { id?: { name?: string } | null; key?: { name?: string } }
  return id?.name ?? key?.name
}
