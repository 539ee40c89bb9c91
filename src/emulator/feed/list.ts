import type { Members } from '../protocol/format.ts'
import type { Profile } from '../protocol/profiles.ts'

/** The members of a JSON object, or each of them. One whose value is undefined is not served. */
type FeedObject = Members | Iterable<Member>
export type Member = readonly [name: string, value: unknown]

/** A year of a large pool exceeds the maximum length of a string, so the pieces are sent one by one. */
export function* listText(
  profile: Profile,
  title: string,
  href: string,
  objects: Iterable<FeedObject>,
): Generator<string> {
  const list = profile === 'documented' ? 'instances' : '_instances'
  const links = JSON.stringify({ self: { href } })
  yield `{"title":${JSON.stringify(title)},"_links":${links},"_embedded":{"${list}":[`
  let separator = ''
  for (const members of objects) {
    yield separator
    yield* objectText(members)
    separator = ','
  }
  yield ']}}'
}

export function* objectText(members: FeedObject): Generator<string> {
  let opening = '{'
  for (const [name, value] of Symbol.iterator in members ? members : Object.entries(members)) {
    if (value === undefined) continue
    yield `${opening}"${name}":${JSON.stringify(value)}`
    opening = ','
  }
  yield '}'
}

/** The member `_links`. */
export function linksTo(hrefs: Readonly<Record<string, string>>): Members {
  return Object.fromEntries(Object.entries(hrefs).map(([name, href]) => [name, { href }]))
}
