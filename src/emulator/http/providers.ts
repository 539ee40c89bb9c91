import type { Element } from '../protocol/xml.ts'
import { mix, uuidOf } from '../world/random.ts'

/** An authentication provider (API document, "Authentication provider list"). */
export interface Provider {
  readonly id: string
  readonly name: string
}

/** The one thing besides sessions that requests can change. */
export interface Providers {
  readonly list: () => readonly Provider[]
  /** Whether there was such a provider. */
  readonly remove: (id: string) => boolean
}

/** Names with what names may contain. */
const NAMES = ['corporate-ldap', 'multi-domain forest', 'Forschung & Entwicklung <Köln>', 'keystone "lab"']
const SALT = 61

export function createProviders(key: number): Providers {
  const providers = new Map(
    NAMES.map((name, index) => {
      const id = `urn:storageos:AuthnProvider:${uuidOf(mix(key, SALT + index))}:`
      return [id, { id, name }]
    }),
  )
  return { list: () => [...providers.values()], remove: (id) => providers.delete(id) }
}

export function providersJson(providers: readonly Provider[]): unknown {
  return { authnprovider: providers.map(({ id, name }) => ({ link: linkOf(id), name, id })) }
}

export function providersXml(providers: readonly Provider[]): Element {
  const children = providers.map(({ id, name }) => ({
    name: 'authnprovider',
    content: [
      { name: 'id', content: id },
      { name: 'link', attributes: linkOf(id) },
      { name: 'name', content: name },
    ],
  }))
  return { name: 'authnproviders', content: children }
}

function linkOf(id: string): { href: string; rel: string } {
  return { href: `/vdc/admin/authnproviders/${id}`, rel: 'self' }
}
