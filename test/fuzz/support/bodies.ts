import { feedText } from '../../../src/emulator/feed/node.ts'
import { type FeedRequest, parseFeedQuery } from '../../../src/emulator/feed/query.ts'
import { createProviders } from '../../../src/emulator/http/providers.ts'
import { createModel } from '../../../src/emulator/model/model.ts'
import { resolveOptions } from '../../../src/emulator/options.ts'
import { writeDocument } from '../../../src/emulator/protocol/format.ts'
import { PROFILES, type Profile } from '../../../src/emulator/protocol/profiles.ts'
import { poolListText } from '../../../src/emulator/resources/zone.ts'

const NOW_SECONDS = 1_785_312_642
const QUERIES = ['dataType=current', 'dataType=current&category=capacityForecast']
const profiles = Object.keys(PROFILES) as Profile[]
const model = createModel(resolveOptions({ seed: 'fuzz', pools: 2, nodes: 2 }), NOW_SECONDS)

/** JSON bodies of the emulator, in all profiles. */
export const FEED_BODIES: readonly string[] = profiles.flatMap((profile) => QUERIES.map(feedOf(profile)))

function feedOf(profile: Profile): (query: string) => string {
  return (query) => {
    const [pool] = model.pools
    if (pool === undefined) throw new Error('the emulated system has no pool')
    return [...feedText(requestOf(profile, query), pool)].join('')
  }
}

function requestOf(profile: Profile, query: string): FeedRequest {
  return { model, profile, now: NOW_SECONDS, settings: {}, query: parseFeedQuery(query, NOW_SECONDS, 1000) }
}

export const POOL_BODIES: readonly string[] = [
  ...profiles.map((profile) => [...poolListText(requestOf(profile, 'dataType=current'))].join('')),
  JSON.stringify({ varray: model.pools.map(({ id, name }) => ({ id, name, isProtected: false })) }),
]

const providers = createProviders(model.key).list()
export const PROVIDERS_JSON: string = writeDocument(providers, 'json')
export const PROVIDERS_XML: string = writeDocument(providers, 'xml')
