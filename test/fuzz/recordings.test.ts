import fc from 'fast-check'
import { expect } from 'vitest'
import type { RequestOperation } from '../../src/api/client.ts'
import { findLeaks } from '../../src/recording/leaks.ts'
import { createRedactor } from '../../src/recording/redactor.ts'
import { createStandIns } from '../../src/recording/stand_ins.ts'
import { oddText } from './support/arbitraries.ts'
import { FEED_BODIES, POOL_BODIES, PROVIDERS_JSON, PROVIDERS_XML } from './support/bodies.ts'
import { fuzz, readCorpus } from './support/fuzz.ts'

/** A part of every hostile text: a name that no recording may have. */
const NAME = 'Zqx7Jane'
const FORMS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `4711${text}`,
  (text) => `2026-03-11T12:34:56Z${text}`,
  (text) => `4.3.0.0.${text}`,
  (text) => `urn:storageos:VirtualArray:${text}:global`,
  (text) => `urn:${text}:b17d28fa-7fc3-465e-9f43-281e72a349eb`,
  (text) => `/dashboard/nodes/${text}/disks?dataType=${text}&${text}=1`,
  (text) => `https://${text}.example.org/${text}`,
  (text) => `Good(${text})`,
  (text) => `404 (${text})`,
  (text) => `failed to compile query: ${text}`,
  (text) => `${text}_IO_Statistics_data_read`,
  (text) => `public.${text}`,
  (text) => JSON.stringify({ name: text, password: text }),
  (text) => Buffer.from(text).toString('base64'),
  (text) => encodeURIComponent(`é ${text}`),
  (text) => `${text}@example.org`,
  (text) => text.repeat(200),
]
const QUERY = JSON.stringify({
  Series: [
    {
      Datatypes: ['long', 'string'],
      Columns: ['table', '_value', '_field', '_measurement', 'host', 'node_id', 'interface', 'code'],
      Values: [['0', '1', 'used', 'mem', 'n1', 'x', 'public', '404']],
    },
  ],
})
const OPERATIONS: readonly RequestOperation[] = [
  'nodes',
  'pools',
  'query',
  'namespaces',
  'inventory',
  'providers',
]
const PLACES = ['value', 'name', 'element', 'below'] as const

type Change = readonly [where: number, form: number, place: (typeof PLACES)[number], odd: string]

/** The JSON with hostile texts as values, names of members, elements of lists and in new objects. */
function planted(json: string, changes: readonly Change[]): string {
  const root = JSON.parse(json) as unknown
  for (const one of changes) plant(containersIn(root), one)
  return JSON.stringify(root)
}

function plant(containers: readonly object[], [where, form, place, odd]: Change): void {
  const container = containers[where % containers.length] ?? {}
  const text = FORMS[form % FORMS.length]?.(NAME) ?? NAME
  const name = Object.keys(container)[where % Object.keys(container).length] ?? odd
  const set = (key: string, value: unknown) =>
    Object.defineProperty(container, key, { value, enumerable: true, configurable: true })
  if (Array.isArray(container)) container.push(place === 'below' ? { [text]: odd } : text)
  else if (place === 'name') set(text, odd)
  else set(name, place === 'value' ? text : { [name]: [text] })
}

function containersIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return []
  return [value, ...Object.values(value).flatMap(containersIn)]
}

const change = fc.tuple(fc.nat(), fc.nat(), fc.constantFrom(...PLACES), oddText)
const BODIES = [...FEED_BODIES.slice(0, 4), ...POOL_BODIES, PROVIDERS_JSON, QUERY]

fuzz('the redaction of recordings', {
  corpus: 'recordings',
  input: fc.oneof(
    fc
      .tuple(fc.constantFrom(...BODIES), fc.array(change, { maxLength: 8 }))
      .map(([body, changes]) => planted(body, changes)),
    fc
      .constantFrom(...FORMS)
      .map((form) => PROVIDERS_XML.replace(/<name>[^<]*/, `<name>${form(NAME).replaceAll('&', '&amp;')}`)),
    fc.constantFrom(...readCorpus('recordings')),
  ),
  runs: 50,
  check: (text) => {
    const redactor = createRedactor(
      { keepsNames: false, isSecret: () => false },
      createStandIns(Buffer.alloc(32)),
    )
    const lines = OPERATIONS.map((operation) => {
      const path = `/object/namespaces/namespace/${encodeURIComponent(NAME)}/quota`
      const request = {
        operation,
        method: 'GET',
        path,
        query: `namespace=${NAME}&${NAME}`,
        body: undefined,
      } as const
      const outcome = { status: 200, header: () => NAME, text, at: 0 }
      return JSON.stringify(redactor.exchange({ ...request, headers: {}, outcome }))
    })
    expect(findLeaks(lines, [{ text: NAME, what: '' }], redactor.standIns.isStandIn)).toEqual([])
    expect(lines.join('\n')).not.toMatch(/Zqx7Jane|WnF4N0phbmU|enF4N2phbmU/i)
  },
})
