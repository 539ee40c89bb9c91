import { Agent, get } from 'node:http'
import { parentPort } from 'node:worker_threads'

/** A client in a separate thread, so that its work is not measured as work of the server. */
export interface ScrapeJob {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly connections: number
  /** Scrapes begin during this time, or until their number is reached; each connection makes at least one. */
  readonly milliseconds: number
  readonly times?: number
}

function scrape(agent: Agent, { url, headers }: ScrapeJob): Promise<number> {
  const start = performance.now()
  return new Promise((resolve, reject) => {
    get(url, { agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`))
      response.on('data', () => undefined)
      response.on('end', () => resolve(performance.now() - start))
    }).on('error', reject)
  })
}

/** The duration of each scrape in milliseconds. */
async function run(job: ScrapeJob): Promise<number[]> {
  const { connections, milliseconds, times = Number.POSITIVE_INFINITY } = job
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const durations: number[] = []
  const endMs = performance.now() + milliseconds
  let begun = 0
  const scrapeInTurn = async () => {
    do {
      begun += 1
      durations.push(await scrape(agent, job))
    } while (performance.now() < endMs && begun < times)
  }
  await Promise.all(Array.from({ length: connections }, scrapeInTurn))
  agent.destroy()
  return durations
}

parentPort?.on('message', async (job: ScrapeJob) => parentPort?.postMessage(await run(job)))
