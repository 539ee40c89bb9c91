import type { Command } from './example.ts'

/**
 * A command whose JSON is piped into jq, as a reader would do it. This machine may not have jq, so the function prints
 * what jq would.
 */
export function pipedIntoJq<T>(command: string, filter: string, apply: (json: T) => unknown): Command {
  const edit = (output: string) => {
    const result = apply(JSON.parse(output) as T)
    return Array.isArray(result) && filter.startsWith('-r ')
      ? result.join('\n')
      : JSON.stringify(result, undefined, 2)
  }
  return { run: `${command} | jq ${filter}`, actually: command, edit }
}
