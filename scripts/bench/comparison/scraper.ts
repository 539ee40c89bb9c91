import { Agent, get } from 'node:http'
import { parentPort } from 'node:worker_threads'

/** A client in a separate thread, so that its work is not measured as work of the server. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

function scrape(url: string, headers: Record<string, string>): Promise<number> {
  const start = performance.now()
  return new Promise((resolve, reject) => {
    get(url, { agent, headers }, (response) => {
      response.on('data', () => undefined)
      response.on('end', () => resolve(performance.now() - start))
    }).on('error', reject)
  })
}

export interface ScrapeJob {
  readonly url: string
  readonly headers: Record<string, string>
  readonly times: number
}

parentPort?.on('message', async ({ url, headers, times }: ScrapeJob) => {
  const durations: number[] = []
  for (let count = 0; count < times; count += 1) durations.push(await scrape(url, headers))
  parentPort?.postMessage(durations)
})
