import type { Element } from '../../xml_writer.ts'
import { mix, uuidOf } from '../model/random.ts'
import { findBy } from '../protocol/errors.ts'
import type { Document, Members } from '../protocol/format.ts'

export type Providers = ReturnType<typeof createProviders>

/** Names with blanks, markup, quotes and non-ASCII letters. */
const NAMES = ['corporate-ldap', 'multi-domain forest', 'Forschung & Entwicklung <Köln>', 'keystone "lab"']
const KEY_SALT = 61

/** The list of providers: with sessions, the only state that requests change. */
export function createProviders(key: number) {
  const names = new Map(
    NAMES.map((name, index) => [`urn:storageos:AuthnProvider:${uuidOf(mix(key, KEY_SALT + index))}:`, name]),
  )
  const find = (id: string): Provider => findBy([...names], id, ([one]) => one === id)
  return {
    list: (): Document => ({
      root: 'authnproviders',
      members: { authnprovider: [...names].map(membersOf) },
      xml: [...names].map((one) => ({ name: 'authnprovider', content: elementsOf(one) })),
    }),
    /** Fields of the configuration are not shown in the API document. @throws EmulatedError 404 */
    record: (id: string): Document => {
      const provider = find(id)
      return { root: 'authnprovider', members: membersOf(provider), xml: elementsOf(provider) }
    },
    /** @throws EmulatedError 404 */
    remove: (id: string): void => {
      names.delete(find(id)[0])
    },
  }
}

type Provider = readonly [id: string, name: string]

function linkOf(id: string) {
  return { href: `/vdc/admin/authnproviders/${id}`, rel: 'self' }
}

function membersOf([id, name]: Provider): Members {
  return { link: linkOf(id), name, id }
}

/** API document, "Authentication provider list": in XML the link has attributes, and the order is another one. */
function elementsOf([id, name]: Provider): Element[] {
  return [
    { name: 'id', content: id },
    { name: 'link', attributes: linkOf(id) },
    { name: 'name', content: name },
  ]
}
