import { parseJson } from './json.ts'
import { isPage } from './markup.ts'
import { parseXml, type XmlElement } from './xml.ts'

/**
 * Parses a body in JSON, or in XML from a system that ignores `Accept`. An XML document becomes an object with its root as the
 * only member: elements of one name are a list, an empty element is null, text stays text, and attributes are members.
 * @throws {ApiError} `html`, `syntax`, or `too_large` for XML beyond its bounds
 */
export function parseBody(text: string): unknown {
  const body = text.trimStart()
  if (!body.startsWith('<') || isPage(body)) return parseJson(body)
  const root = parseXml(body)
  return { [root.name]: asValue(root) }
}

function asValue({ attributes, children, text }: XmlElement): unknown {
  if (children.length === 0 && text.trim() !== '') return text
  const members = [
    ...[...attributes].filter(([name]) => name !== 'xmlns'),
    ...[...Map.groupBy(children, ({ name }) => name)].map(([name, elements]) => {
      const values = elements.map(asValue)
      return [name, values.length === 1 ? values[0] : values] as const
    }),
  ]
  return members.length === 0 ? null : Object.fromEntries(members)
}
