import type { Element } from '../../xml_writer.ts'
import { mix, uuidOf } from '../model/random.ts'

/** An authentication provider (API document, "Authentication provider list"). */
export interface Provider {
  readonly id: string
  readonly name: string
}

/** The list of providers: with sessions, the only state that requests change. */
export interface Providers {
  readonly list: () => readonly Provider[]
  /** Returns whether the provider existed. */
  readonly remove: (id: string) => boolean
}

/** Names with blanks, markup, quotes and non-ASCII letters. */
const NAMES = ['corporate-ldap', 'multi-domain forest', 'Forschung & Entwicklung <Köln>', 'keystone "lab"']
const KEY_SALT = 61

export function createProviders(key: number): Providers {
  const providers = new Map(
    NAMES.map((name, index) => {
      const id = `urn:storageos:AuthnProvider:${uuidOf(mix(key, KEY_SALT + index))}:`
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
