import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

export interface ProbeSettings {
  readonly url: string
  /** Headers of the client that scrapes. */
  readonly headers: Readonly<Record<string, string>>
  readonly healthIntervalMs: number
  readonly scrapeIntervalMs: number
  /** After this time a request counts as failed. */
  readonly timeoutMs: number
}

/** Requests of one kind. */
export interface RequestCounts {
  /** Responders with status 200. */
  readonly answers: number
  /** Of all requests, failed ones included. */
  readonly longestMs: number
  /** One for each other request: status or error. */
  readonly problems: readonly string[]
}

export interface Probed {
  readonly health: RequestCounts
  readonly scrapes: RequestCounts
  /** Longest delay of the prober's own event loop: times are not more exact than this. */
  readonly delayMs: number
}

export interface Probing {
  stop(): Promise<Probed>
}

/** Starts the prober in a process of its own. Resolves when it measures. */
export async function startProbing(target: Pick<ProbeSettings, 'url' | 'headers'>): Promise<Probing> {
  const settings: ProbeSettings = {
    ...target,
    healthIntervalMs: 50,
    scrapeIntervalMs: 1000,
    timeoutMs: 10_000,
  }
  const file = new URL('prober.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [file, JSON.stringify(settings)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  await message(child)
  return {
    async stop() {
      const answer = message(child)
      child.send('stop')
      const probed = (await answer) as Probed
      return probed
    },
  }
}

/** The next message. @throws if the prober ends before */
async function message(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit').then(() => {
    throw new Error('the prober ended early')
  })
  const [sent] = await Promise.race([once(child, 'message'), ended])
  return sent
}
