import type { ServerResponse } from 'node:http'

const DEFAULT_HEADERS = { 'X-Content-Type-Options': 'nosniff' } as const

/**
 * Puts headers on an answer at the moment it is sent, so that no error path that clears the headers loses them. What
 * the handler set itself stays: a page knows best which content it needs.
 */
export function addHeaders(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  const writeHead = response.writeHead
  response.writeHead = (...parameters: unknown[]) => {
    for (const [name, value] of Object.entries({ ...DEFAULT_HEADERS, ...headers })) {
      if (!response.hasHeader(name)) response.setHeader(name, value)
    }
    return Reflect.apply(writeHead, response, parameters)
  }
}
