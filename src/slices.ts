/** Lets other tasks of the process run, such as requests that wait. @throws the reason of the signal when it is aborted */
export async function nextTurn(signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve))
  signal?.throwIfAborted()
}
