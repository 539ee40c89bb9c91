import { expect, test } from 'vitest'
import { ApiError } from '../../src/api/errors/errors.ts'
import { createReadingLog } from '../../src/readings/log/reading_log.ts'
import { createProvidersSource } from '../../src/readings/providers.ts'
import { configOf, onlySystem, ownMetrics, recordingLog, shown, storeOfA } from './setup.ts'

/** A source of system `a` that reads these lists, one after the other, and its store. */
async function start(...lists: readonly (string | ApiError)[]) {
  const store = await storeOfA()
  const rest = [...lists]
  const source = createProvidersSource({
    system: onlySystem(configOf()),
    client: {
      async read(_request, decode) {
        const list = rest.shift()
        if (list === undefined || list instanceof ApiError) throw list
        return decode(list)
      },
    },
    store,
    log: createReadingLog({ log: recordingLog(), own: ownMetrics(), store, system: 'a' }),
    signal: new AbortController().signal,
  })
  // The exposition of an update has the ones before.
  const rendered = () => store.update('a', (state) => ({ ...state }))
  return { source, store, rendered, [Symbol.dispose]: source.forget }
}

test('the list of providers has their number and names', async () => {
  using started = await start(
    '{"authnprovider":[{"id":"urn:a:","name":"keystone \\"lab\\""},{"id":"urn:b:"}]}',
  )
  await started.source.read()
  await started.rendered()
  expect(shown(started.store, 'sds_authn_providers', 'system')).toEqual({ a: 2 })
  expect(shown(started.store, 'sds_authn_provider_info', 'provider')).toEqual({
    'keystone "lab"': 1,
    'urn:b:': 1,
  })
})

test('a missing role is reported, and does not show zero providers', async () => {
  using started = await start(new ApiError('forbidden', 'the account lacks the role', { status: 403 }))
  await started.source.read()
  expect(started.store.system('a')?.inventory).toMatchObject({
    providers: undefined,
    failure: { reason: 'forbidden', message: 'the account lacks the role' },
  })
  await started.rendered()
  expect(started.store.exposition().text('text')).not.toContain('sds_authn_provider')
})

test('an entry without an id is left out, and counted once, not with each list', async () => {
  const list = '{"authnprovider":[{"name":"a"},{"id":"urn:b:"}]}'
  using started = await start(list, list, '{"authnprovider":[]}', list)
  const { source, store } = started
  const counts: (number | undefined)[] = []
  for (let times = 0; times < 4; times += 1) {
    await source.read()
    counts.push([...(store.system('a')?.rejections.byAttribute.values() ?? [])][0])
  }
  expect(counts).toEqual([1, 1, 1, 2])
  expect(store.system('a')?.inventory?.providers).toMatchObject([{ id: 'urn:b:' }])
})
