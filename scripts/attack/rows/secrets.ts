import { dirname, join } from 'node:path'
import { pause } from '../clients.ts'
import { jsonResponse, poolList, type Responder, SECRETS } from '../hostile_system.ts'
import { startProgram } from '../processes.ts'
import { requestPage } from '../requests.ts'
import type { Findings, Row, Target } from '../row.ts'

type Encoding = (text: string) => string

const bytes = (text: string) => Buffer.from(text)
const percent: Encoding = (text) =>
  bytes(text)
    .toString('hex')
    .replaceAll(/../g, (byte) => `%${byte}`)
const html: Encoding = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
const json: Encoding = (text) => JSON.stringify(text).slice(1, -1)
const unicode: Encoding = (text) =>
  text.replaceAll(/./g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)

const ENCODINGS: readonly Encoding[] = [
  (text) => text,
  (text) => bytes(text).toString('base64'),
  (text) => bytes(text).toString('base64url'),
  (text) => bytes(text).toString('hex'),
  (text) => bytes(text).toString('hex').toUpperCase(),
  encodeURIComponent,
  (text) => encodeURIComponent(encodeURIComponent(text)),
  percent,
  (text) => new URLSearchParams({ a: text }).toString().slice(2),
  html,
  (text) => html(html(text)),
  (text) => text.replaceAll(/./g, (one) => `&#${one.charCodeAt(0)};`),
  json,
  (text) => json(json(text)),
  unicode,
  (text) => json(unicode(text)),
  (text) => encodeURIComponent(json(text)),
  (text) => html(json(text)),
]
const formsOf = (...secrets: readonly string[]) =>
  secrets.flatMap((secret) => ENCODINGS.map((encode) => encode(secret)))
/** What a program knows before its login. */
const PASSWORD_FORMS = formsOf(SECRETS.password, `monitor:${SECRETS.password}`)
const FORMS = [...formsOf(SECRETS.token), ...PASSWORD_FORMS]
/** As the log, the status page and its JSON write them. */
const WRITTEN = new Set([...FORMS, ...FORMS.map(json), ...FORMS.map(html)])
const REPLACED = ['<secret>', html('<secret>')]

const FORMS_IN_TEXT = 9
const textsOf = (forms: readonly string[]) =>
  Array.from({ length: Math.ceil(forms.length / FORMS_IN_TEXT) }, (_, index) =>
    forms.slice(index * FORMS_IN_TEXT, (index + 1) * FORMS_IN_TEXT).join(' '),
  )
const TEXTS = textsOf(FORMS)
const PASSWORD_TEXTS = textsOf(PASSWORD_FORMS)

/** Refuses requests without a token, and every second one of the others, so that each refusal is logged as a new one. */
function quoting(accept: Responder): Responder {
  let refusals = 0
  const isRefused = new Map<string, boolean>()
  return (incoming, response) => {
    const path = incoming.url ?? ''
    isRefused.set(path, !isRefused.get(path))
    const hasToken = incoming.headers['x-sds-auth-token'] !== undefined
    if (hasToken && !isRefused.get(path)) return accept(incoming, response)
    refusals += 1
    const texts = hasToken ? TEXTS : PASSWORD_TEXTS
    const description = texts[refusals % texts.length]
    response.writeHead(400, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify({ code: 1, description, retryable: false }))
  }
}

/** Within which every form is sent several times, and `doctor` ends. */
const SECONDS = 20

interface Output {
  readonly name: string
  readonly text: string
}

async function pageOf(target: Target, path: string): Promise<Output> {
  return { name: path, text: (await requestPage(target, path)).text() }
}

async function doctor({ configFile }: Target, signal: AbortSignal): Promise<Output> {
  const program = startProgram(['src/main.ts', 'doctor', `--config.file=${configFile}`], {
    outputFile: join(dirname(configFile), 'doctor.log'),
  })
  while (program.end() === undefined && !signal.aborted) await pause(100, signal)
  await program.stop()
  return { name: 'doctor', text: program.output() }
}

async function quote(target: Target, signal: AbortSignal): Promise<Findings> {
  const nodes = '{"_embedded":{"instances":[{"id":"n1","healthStatus":"Good"}]}}'
  target.hostile().use({
    nodes: quoting(jsonResponse(nodes)),
    pools: quoting(jsonResponse(poolList(8, 'pool'))),
    providers: quoting(jsonResponse('{"authnprovider":[]}')),
    query: quoting(jsonResponse('{"Series":[]}')),
  })
  const outputs: Output[] = []
  const diagnosis = doctor(target, signal)
  while (!signal.aborted) {
    for (const path of ['/', '/api/v1/status']) outputs.push(await pageOf(target, path))
    await pause(500, signal)
  }
  outputs.push(await pageOf(target, '/metrics'), await diagnosis, { name: 'log', text: target.log() })
  const all = ['/', '/api/v1/status', 'log', 'doctor'].filter((name) =>
    outputs.some((output) => output.name === name && REPLACED.some((word) => output.text.includes(word))),
  )
  const leaks = outputs.flatMap(({ name, text }) =>
    [...WRITTEN].filter((form) => text.includes(form)).map((form) => `${name} has ${form}`),
  )
  return {
    note: `${FORMS.length} forms, replaced in ${all.join(', ')}`,
    problems: [...new Set(leaks), ...(all.length === 4 ? [] : ['the refusals are not quoted'])],
  }
}

export const SECRETS_QUOTED: readonly Row[] = [
  {
    name: 'secrets',
    sent: `refusals that quote token and password in ${ENCODINGS.length} encodings`,
    setup: { hostile: true, pollSeconds: 1 },
    seconds: SECONDS,
    attack: quote,
  },
]
