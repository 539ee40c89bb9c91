/** A member of a JSON object: its name and the JSON text of its value. */
export type Member = readonly [name: string, text: string]

/** A year of a large pool exceeds the maximum length of a string, so the pieces are sent one by one. */
export function* listText(
  { title, href, list }: { title: string; href: string; list: 'instances' | '_instances' },
  objects: Iterable<Iterable<Member>>,
): Generator<string> {
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

export function* objectText(members: Iterable<Member>): Generator<string> {
  let opening = '{'
  for (const [name, text] of members) {
    yield `${opening}"${name}":${text}`
    opening = ','
  }
  yield '}'
}

export function* texts(members: Readonly<Record<string, string>>): Generator<Member> {
  for (const [name, value] of Object.entries(members)) yield [name, JSON.stringify(value)]
}
