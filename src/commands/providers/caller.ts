import type { Caller } from '../../administration/deletion.ts'
import { ApiError } from '../../api/errors/errors.ts'
import { visibleText } from '../../text.ts'
import { HttpError } from '../../values/http_error.ts'
import { passwordFromText, Secret, tokenFromText } from '../../values/secret.ts'
import { CommandError, EXIT } from '../cli/exit.ts'
import { askSecret, type Terminal } from '../cli/output/terminal.ts'

/** The system of a command, and the token of the user. */
export interface Target extends Caller {
  readonly system: string
}

/** The signal of requests that an interruption must not stop. */
export const NEVER_ABORTED = new AbortController().signal

/** How the user authenticates. The credentials in the configuration file are never used. */
export interface Credentials {
  /** Undefined: with a token. */
  readonly username: string | undefined
  /** SDS_TOKEN and SDS_PASSWORD. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly terminal: Terminal
}

/** With SDS_TOKEN, a prompt, or a login that ends with the task. @throws {CommandError} without a token */
export async function withToken(
  credentials: Credentials,
  { system, client, signal }: Omit<Target, 'token'>,
  task: (token: Secret) => Promise<void>,
): Promise<void> {
  const { username } = credentials
  if (username === undefined) {
    const question = `Your token for ${system} (input is hidden): `
    const text = await given(credentials, 'SDS_TOKEN', question, NO_TOKEN)
    return task(valid('the token', tokenFromText(text)))
  }
  const question = `Password of ${visibleText(username)} for ${system} (input is hidden): `
  const text = await given(credentials, 'SDS_PASSWORD', question, NO_PASSWORD)
  const password = valid('the password', passwordFromText(text))
  const token = await explained(client.login(username, password, signal), signal)
  try {
    await task(token)
  } finally {
    // The session expires after two hours without use.
    await client.logout(token, NEVER_ABORTED).catch(() => undefined)
  }
}

const NO_TOKEN = 'set the environment variable SDS_TOKEN to your token, or use --username'
const NO_PASSWORD = '--username needs a terminal, or the environment variable SDS_PASSWORD'

/** From the environment, or a prompt. @throws {CommandError} with `missing`, if there is neither it nor a terminal */
function given(
  { environment, terminal }: Credentials,
  variable: string,
  question: string,
  missing: string,
): Promise<string> | string {
  const value = environment[variable]
  if (value === undefined && !terminal.input.isTTY) throw new CommandError(missing, EXIT.usage)
  return value ?? askSecret(terminal, question)
}

function valid(what: string, secret: Secret | string): Secret {
  if (secret instanceof Secret) return secret
  throw new CommandError(`${what} ${secret}`, EXIT.usage)
}

/** Converts a rejection with {@link explain}. @throws the reason of the signal after its abort */
export async function explained<T>(result: Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await result
  } catch (failure) {
    signal?.throwIfAborted()
    throw explain(failure)
  }
}

const NEW_TOKEN = 'get a new token by a login, or use --username'

/** A {@link CommandError} with what happened and the remedy; other errors are returned unchanged. */
export function explain(failure: unknown): unknown {
  if (failure instanceof HttpError) return new CommandError(visibleText(failure.message))
  if (!(failure instanceof ApiError)) return failure
  const isLogin = failure.place?.operation === 'login'
  const remedy = failure.reason === 'auth' && !isLogin ? NEW_TOKEN : failure.remedy
  return new CommandError(visibleText(`${failure.message}; ${remedy}`))
}
