export interface SerialRunner {
  /**
   * Runs the task after the current one. While a task waits, further calls get its promise and their own task is
   * dropped. Rejects with the failure of the task, or once the runner is stopped.
   */
  run(task: () => Promise<void>): Promise<void>
  /** Rejects the waiting task; resolves when the current one has ended. */
  stop(): Promise<void>
}

const STOPPING = 'the exporter is being stopped'

/** Runs tasks one at a time. */
export function createSerialRunner(): SerialRunner {
  let running: Promise<void> = Promise.resolve()
  let waiting: Promise<void> | undefined
  let stopped = false

  function run(task: () => Promise<void>): Promise<void> {
    if (stopped) return Promise.reject(new Error(STOPPING))
    waiting ??= running.then(() => {
      waiting = undefined
      if (stopped) throw new Error(STOPPING)
      const current = task()
      running = current.catch(() => undefined)
      return current
    })
    return waiting
  }

  async function stop(): Promise<void> {
    stopped = true
    await running
  }
  return { run, stop }
}
