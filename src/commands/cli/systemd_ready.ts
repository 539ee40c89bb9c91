import { execFile } from 'node:child_process'
import type { Log } from '../../log.ts'

/** As long as systemd waits for the answer of the program. */
const TIMEOUT_MS = 30_000

/**
 * Tells systemd that the service has started, for `Type=notify`. Node.js has no datagram sockets of Unix, so that the
 * program systemd-notify sends the message to `NOTIFY_SOCKET`.
 */
export function notifySystemd(environment: Readonly<Record<string, string | undefined>>, log: Log): void {
  if (!environment['NOTIFY_SOCKET']) return
  execFile('systemd-notify', ['--ready'], { timeout: TIMEOUT_MS }, (failure) => {
    if (failure !== null)
      log.warn('systemd is not told that the exporter has started', { reason: failure.message })
  })
}
