/**
 * Ends the process, whatever is left in its event loop. `exit()` waits for the threads of libuv, where a lookup of a host
 * name cannot be cancelled and takes up to half a minute; `execve()` ends them.
 */
export function endProcess(code: number): never {
  if (process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap') && process.execve !== undefined)
    process.execve(process.execPath, [process.execPath, '--eval', `process.exit(${code})`], {})
  process.exit(code)
}
