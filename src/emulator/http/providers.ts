import { mix, uuidOf } from '../model/random.ts'
import type { Document } from '../protocol/format.ts'

/** The list of providers: with sessions, the only state that requests change. */
export interface Providers {
  readonly document: () => Document
  /** Returns whether the provider existed. */
  readonly remove: (id: string) => boolean
}

/** Names with blanks, markup, quotes and non-ASCII letters. */
const NAMES = ['corporate-ldap', 'multi-domain forest', 'Forschung & Entwicklung <Köln>', 'keystone "lab"']
const KEY_SALT = 61

export function createProviders(key: number): Providers {
  const names = new Map(
    NAMES.map((name, index) => [`urn:storageos:AuthnProvider:${uuidOf(mix(key, KEY_SALT + index))}:`, name]),
  )
  return { document: () => documentOf([...names]), remove: (id) => names.delete(id) }
}

/** API document, "Authentication provider list". In XML the link has attributes, and the order is another one. */
function documentOf(providers: readonly (readonly [id: string, name: string])[]): Document {
  const linkOf = (id: string) => ({ href: `/vdc/admin/authnproviders/${id}`, rel: 'self' })
  return {
    root: 'authnproviders',
    members: { authnprovider: providers.map(([id, name]) => ({ link: linkOf(id), name, id })) },
    xml: providers.map(([id, name]) => ({
      name: 'authnprovider',
      content: [
        { name: 'id', content: id },
        { name: 'link', attributes: linkOf(id) },
        { name: 'name', content: name },
      ],
    })),
  }
}
