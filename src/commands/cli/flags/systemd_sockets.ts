import { EXIT, Failed } from '../exit.ts'

/** The first socket that systemd passes. */
const FIRST_FD = 3
/** `FileDescriptorName=` of the socket of the administration. */
const ADMIN_NAME = 'admin'
/** More sockets than a unit has addresses. */
const MAX_SOCKETS = 64

/** File descriptors of the sockets that systemd has bound. */
export interface SystemdSockets {
  readonly web: readonly number[]
  /** Undefined: the administration listens on its address. */
  readonly admin: number | undefined
}

/**
 * The sockets of socket activation (sd_listen_fds): `LISTEN_FDS` file descriptors from 3 on, with the names in
 * `LISTEN_FDNAMES`, for the process `LISTEN_PID`.
 * @throws {Failed} usage error, if there are no sockets for the metrics
 */
export function systemdSockets(
  environment: Readonly<Record<string, string | undefined>>,
  pid: number,
): SystemdSockets {
  const { LISTEN_PID, LISTEN_FDS = '', LISTEN_FDNAMES = '' } = environment
  const count = LISTEN_PID === String(pid) && /^\d{1,2}$/.test(LISTEN_FDS) ? Number(LISTEN_FDS) : 0
  const names = LISTEN_FDNAMES.split(':')
  const fds = Array.from({ length: Math.min(count, MAX_SOCKETS) }, (_, index) => FIRST_FD + index)
  const isAdmin = (fd: number) => names[fd - FIRST_FD] === ADMIN_NAME
  const web = fds.filter((fd) => !isAdmin(fd))
  if (web.length > 0) return { web, admin: fds.find(isAdmin) }
  throw new Failed(
    '--web.systemd-socket needs a socket of systemd: start the .socket unit, or remove the flag',
    EXIT.usage,
  )
}
