import { Agent, get } from 'node:http'
import { parentPort } from 'node:worker_threads'

/** Scrapes over one connection in a thread of their own, so that their work is not measured as work of the server. */
export interface ScrapeJob {
  readonly url: string
  readonly encoding: string
  /** Scrapes begin during this time; there is at least one. */
  readonly milliseconds: number
}

function scrape(agent: Agent, { url, encoding }: ScrapeJob): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { 'Accept-Encoding': encoding } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`))
      response.on('data', () => undefined)
      response.on('end', resolve)
    }).on('error', reject)
  })
}

/** @returns the number of scrapes */
async function run(job: ScrapeJob): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const endMs = performance.now() + job.milliseconds
  let scrapes = 0
  do {
    await scrape(agent, job)
    scrapes += 1
  } while (performance.now() < endMs)
  agent.destroy()
  return scrapes
}

parentPort?.on('message', async (job: ScrapeJob) => parentPort?.postMessage(await run(job)))
