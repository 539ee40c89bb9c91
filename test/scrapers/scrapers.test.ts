import { expect, test } from 'vitest'
import { FORMATS } from '../../src/metrics/lines.ts'
import { pollEverySecond, startWithEmulator } from '../faults/exporter_setup.ts'
import { waitFor } from '../support/wait.ts'
import { CHECKED_SCRAPERS, type CheckedScraper, PROGRAMS } from './checked_scrapers.ts'
import { expectedMetadata, expectedValues } from './expected.ts'
import { SCRAPERS } from './headers.ts'
import { type RecordingProxy, type Scrape, startRecordingProxy } from './recording_proxy.ts'
import { differencesOf, ownValue, storedValues } from './series.ts'
import { JOB, type RunningScraper, START } from './start.ts'

/** With values that change from poll to poll. */
const SCRAPES = 4
/** Collectors send in batches. */
const STORED_MS = 60_000
const FEWEST_SERIES = 500

function expectNegotiated({ header }: CheckedScraper, scrapes: readonly Scrape[]): void {
  const expected = SCRAPERS.find(({ name }) => name === header)
  if (expected === undefined) throw new Error(`no row for ${header}`)
  for (const { accept, acceptEncoding, answer } of scrapes) {
    expect(accept.replaceAll(', ', ',')).toBe(expected.accept)
    expect(acceptEncoding).toContain('gzip')
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe(FORMATS[expected.gets ?? 'openmetrics'])
    expect(answer.headers['content-encoding']).toBe('gzip')
  }
}

async function waitForScrapes(proxy: RecordingProxy, scraper: RunningScraper, count: number): Promise<void> {
  await waitFor(() => proxy.scrapes.length >= count, {
    what: `${count} scrapes`,
    timeout: STORED_MS,
    detail: () => scraper.problems().join('\n'),
  })
}

/** Waits until the store has the values of a scrape, which is answered again and again. */
async function waitForValues(row: CheckedScraper, { queryUrl }: RunningScraper, text: string): Promise<void> {
  const expected = expectedValues(row.stores, text)
  let differences: readonly string[] = []
  await waitFor(
    async () => {
      differences = differencesOf(await storedValues(queryUrl, JOB), expected)
      return differences.length === 0
    },
    {
      what: 'the values of the exporter in the store',
      timeout: STORED_MS,
      interval: 500,
      detail: () => `${differences.length} differ:\n${differences.slice(0, 30).join('\n')}`,
    },
  )
}

test.each(CHECKED_SCRAPERS.map((row) => [`${PROGRAMS[row.program]} ${row.settings}`, row] as const))(
  '%s',
  async (_, row) => {
    await using setup = await startWithEmulator({ profile: 'modern' }, pollEverySecond())
    await using proxy = await startRecordingProxy(setup.exporter.url)
    await using scraper = await START[row.program](row, proxy.host)
    await waitForScrapes(proxy, scraper, SCRAPES)
    const { text } = proxy.freeze()
    await waitForValues(row, scraper, text)
    const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    expect(samples.length).toBeGreaterThan(FEWEST_SERIES)
    expect(samples.filter((line) => line.startsWith('sds_node_info{')).length).toBeGreaterThan(0)
    expect(await ownValue(scraper.queryUrl, JOB, 'up')).toBe(1)
    // A native histogram is one sample.
    const scraped = await ownValue(scraper.queryUrl, JOB, 'scrape_samples_scraped')
    if (row.job?.['convert_classic_histograms_to_nhcb'] !== true) expect(scraped).toBe(samples.length)
    expect(await scraper.metadata()).toEqual(expectedMetadata(row.stores, text))
    expectNegotiated(row, proxy.scrapes)
    expect(scraper.problems()).toEqual([])
  },
)
