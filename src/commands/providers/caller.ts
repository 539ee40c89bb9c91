import type { AdminClient } from '../../api/admin_client.ts'
import { ApiError } from '../../api/errors/errors.ts'
import { Secret, tokenFromText } from '../../config/values/secret.ts'
import { fromApiError, Refused } from '../../server/admin/errors.ts'
import { EXIT, Failed } from '../cli/exit.ts'
import { askSecret, printable, type Terminal } from '../cli/terminal.ts'

/** What a command works on. */
export interface Target {
  readonly system: string
  readonly client: AdminClient
  readonly token: Secret
}

/** Ctrl+C ends the program; nothing else ends a request before its time. */
export const STAYING = new AbortController().signal

/** The person's own token. The exporter's credentials in the configuration file are for reading, and never used here. */
export async function callerToken(
  fromEnvironment: string | undefined,
  terminal: Terminal,
  system: string,
): Promise<Secret> {
  if (fromEnvironment === undefined && !terminal.input.isTTY) {
    throw new Failed('put your token into the environment variable SDS_TOKEN', EXIT.usage)
  }
  const text = fromEnvironment ?? (await askSecret(terminal, `Your token for ${system} (is not shown): `))
  const token = tokenFromText(text)
  if (token instanceof Secret) return token
  throw new Failed(`the token ${token}`, EXIT.usage)
}

/** A refusal in the words of the system, for a person. */
export async function explained<T>(result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (failure) {
    throw explain(failure)
  }
}

export function explain(failure: unknown): unknown {
  const refused = failure instanceof ApiError ? fromApiError(failure) : failure
  if (!(refused instanceof Refused)) return failure
  const { code, description, details } = refused.body
  return new Failed(printable(`${description} (HTTP ${refused.status}, code ${code}). ${details}`.trim()))
}
