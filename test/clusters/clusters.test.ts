import { expect, test } from 'vitest'
import { send, storedIn } from '../end_to_end/remote_samples.ts'
import { startMimir, startThanos } from './clusters.ts'

/** The history of an emulated system goes to receivers with tenants, which then have exactly the samples of the file. */
test.each([
  ['Thanos', startThanos, ',tenant_id="storage"}'],
  ['Mimir', startMimir, '}'],
] as const)(
  '%s has the same samples as the file for the tenant of the header, and none for another',
  async (_, start, end) => {
    await using cluster = await start()
    const { tenantHeader, writeUrl, queryUrl } = cluster
    const { from, to, samples } = await send(writeUrl, `--remote-write.header=${tenantHeader}=storage`)
    const stored = (tenant: string) => storedIn(queryUrl, from, to, { [tenantHeader]: tenant })
    const expected = new Map([...samples].map(([series, points]) => [series.replace(/\}$/, end), points]))
    expect(samples.size).toBeGreaterThan(70)
    // Thanos Query learns of a new tenant some seconds later.
    await expect.poll(async () => (await stored('storage')).size).toBe(expected.size)
    expect(await stored('storage')).toEqual(expected)
    expect(await stored('other')).toEqual(new Map())
  },
)
