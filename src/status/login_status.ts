import type { SessionState } from '../api/session/login_session.ts'
import type { AuthConfig } from '../config/config.ts'
import { durationText } from '../text.ts'

const METHODS = {
  token: 'token',
  token_file: 'token_file',
  login: 'password',
  login_file: 'password',
} as const satisfies Record<AuthConfig['kind'], string>

const STATES = { unused: 'unused', open: 'accepted', refused: 'refused' } as const

/** @param now seconds since the epoch */
export function loginStatus(auth: AuthConfig, session: SessionState, now: number) {
  const loggedInAt = session.loggedInAtMs === undefined ? null : session.loggedInAtMs / 1000
  const pauseSeconds = session.pauseMs / 1000
  return {
    method: METHODS[auth.kind],
    username: 'username' in auth ? auth.username : null,
    state: STATES[session.state],
    summary: summaryOf(auth, session, now),
    login_timestamp_seconds: loggedInAt,
    next_login_timestamp_seconds: pauseSeconds > 0 ? now + pauseSeconds : null,
  }
}

function summaryOf(auth: AuthConfig, { state, loggedInAtMs, pauseMs }: SessionState, now: number): string {
  if (!('username' in auth)) {
    const token = auth.kind === 'token' ? 'token of the configuration' : 'token of the file'
    return { unused: `${token}, not used yet`, open: `${token} accepted`, refused: `${token} refused` }[state]
  }
  const user = auth.username
  if (state === 'refused') {
    const next = pauseMs > 0 ? `in ${durationText(Math.ceil(pauseMs / 1000))}` : 'with the next poll'
    return `${user}: login refused, next login ${next}`
  }
  return loggedInAtMs === undefined
    ? `${user}: not logged in yet`
    : `${user}: logged in ${durationText(now - loggedInAtMs / 1000)} ago`
}
