import type { AdminClient } from '../../api/admin_client.ts'
import { ApiError } from '../../api/errors/errors.ts'
import { Secret, tokenFromText } from '../../config/values/secret.ts'
import { fromApiError, Refused } from '../../server/admin/errors.ts'
import { visibleText } from '../../visible_text.ts'
import { EXIT, Failed } from '../cli/exit.ts'
import { askSecret, type Terminal } from '../cli/terminal.ts'

/** The system of a command, and the token of the user. */
export interface Target {
  readonly system: string
  readonly client: AdminClient
  readonly token: Secret
}

/** A signal that never aborts: Ctrl+C ends the process. */
export const NEVER_ABORTED = new AbortController().signal

/** The token of the user, from SDS_TOKEN or a prompt. The credentials in the configuration file are never used. */
export async function callerToken(
  fromEnvironment: string | undefined,
  terminal: Terminal,
  system: string,
): Promise<Secret> {
  if (fromEnvironment === undefined && !terminal.input.isTTY) {
    throw new Failed('set the environment variable SDS_TOKEN to your token', EXIT.usage)
  }
  const text = fromEnvironment ?? (await askSecret(terminal, `Your token for ${system} (input is hidden): `))
  const token = tokenFromText(text)
  if (token instanceof Secret) return token
  throw new Failed(`the token ${token}`, EXIT.usage)
}

/** Converts a rejection with {@link explain}. */
export async function explained<T>(result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (failure) {
    throw explain(failure)
  }
}

/** A {@link Failed} with the error message of the system; other errors are returned unchanged. */
export function explain(failure: unknown): unknown {
  const refused = failure instanceof ApiError ? fromApiError(failure) : failure
  if (!(refused instanceof Refused)) return failure
  const { code, description, details } = refused.body
  return new Failed(visibleText(`${description} (HTTP ${refused.status}, code ${code}). ${details}`.trim()))
}
