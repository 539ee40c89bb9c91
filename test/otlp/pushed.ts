import { parseExposition, type Sample } from '../metrics/exposition_text.ts'
import { differencesOf, type Values, valuesOf } from '../scrapers/series.ts'
import { get } from '../support/http.ts'
import { waitFor } from '../support/wait.ts'

/** Polled at the start, and then not before the test has ended. */
export const POLLED_ONCE = 'poll: {schedule: "0 0 0 31 12 *", stale_after: 400d}'

/** Own metrics whose values are others in each scrape. */
const CHANGING = /^(process_|nodejs_|sds_otlp_)/
/** Of connections that are open in a moment only. */
const TRANSIENT = /^(more|missing): nodejs_active_/
/** What is read after the nodes. */
const LAST_READ = [
  'sds_node_transaction_latency_seconds_bucket{',
  'sds_node_nic_bytes_per_second{',
  'sds_replication_group_sites{',
  'address="',
]
const HISTOGRAM = 'sds_node_transaction_latency_seconds'

const scrape = async (url: string) => (await get(`${url}/metrics`)).text

/** Waits until an exporter with {@link POLLED_ONCE} has read what it reads at the start. */
export async function waitForReadings(url: string): Promise<void> {
  let text = ''
  const isRead = async () => {
    text = await scrape(url)
    return LAST_READ.every((words) => text.includes(words))
  }
  const detail = () => LAST_READ.filter((words) => !text.includes(words)).join('\n')
  await waitFor(isRead, { what: 'all readings', detail })
}

/** The count of a histogram is a part of it in OTLP. */
function withCount(sample: Sample): Sample[] {
  const { le, ...labels } = sample.labels
  if (sample.name !== `${HISTOGRAM}_bucket` || le !== '+Inf') return [sample]
  return [sample, { name: `${HISTOGRAM}_count`, labels, value: sample.value }]
}

/** Waits until a receiver has exactly the series of a scrape, with their values. */
export async function waitForSamples(
  url: string,
  received: () => Values | Promise<Values>,
  fewest: number,
): Promise<void> {
  let differences: readonly string[] = []
  await waitFor(
    async () => {
      const expected = valuesOf(parseExposition(await scrape(url)).flatMap(withCount))
      differences = differencesOf(await received(), expected).filter(
        (line) => !TRANSIENT.test(line) && !CHANGING.test(line),
      )
      return expected.size > fewest && differences.length === 0
    },
    {
      what: 'the values of the exporter',
      interval: 500,
      detail: () => differences.slice(0, 30).join('\n'),
    },
  )
}
