import { mix, uuidOf } from '../model/random.ts'
import type { Document } from '../protocol/format.ts'

export type Providers = ReturnType<typeof createProviders>

/** Names with blanks, markup, quotes and non-ASCII letters. */
const NAMES = ['corporate-ldap', 'multi-domain forest', 'Forschung & Entwicklung <Köln>', 'keystone "lab"']
const KEY_SALT = 61

/** The list of providers: with sessions, the only state that requests change. */
export function createProviders(key: number) {
  const names = new Map(
    NAMES.map((name, index) => [`urn:storageos:AuthnProvider:${uuidOf(mix(key, KEY_SALT + index))}:`, name]),
  )
  return {
    document: (): Document => documentOf([...names]),
    /** Returns whether the provider existed. */
    remove: (id: string): boolean => names.delete(id),
  }
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
