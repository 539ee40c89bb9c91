import { TOKEN_HEADER } from './token_header.ts'

const PLACEHOLDER = '<secret>'
/** A shorter secret would turn ordinary words into placeholders. */
const MIN_CHARACTERS = 4
/** In data only what is no ordinary word: a node may well be called like a short token, and numbers are figures. */
const MIN_CHARACTERS_IN_DATA = 8
/** Shorter ones are words, and could be parts of others without their last signs. */
const MIN_CHARACTERS_OF_BASE64 = 12
const NUMBER = /^[\d.]+$/
/** What a client was ever sent is more than a system repeats: the password of the login, and tokens before this one. */
const MAX_REMEMBERED = 8

/** Hides what a system was sent, should it repeat that in its answers: they end up in logs, on pages and in metrics. */
export interface SecretsSent {
  /** For words of the system that are quoted, after they were decoded. */
  quoted(text: string): string
  /** For a whole answer, before it is decoded. Of secrets only tokens: a password may be a figure, or part of a name. */
  data(text: string): string
}

interface Sent {
  readonly text: string
  readonly isToken: boolean
}

/**
 * Remembers what is sent in the headers that prove who asks.
 * @param isRemembering whether the secrets of earlier requests are hidden, too; not where each request is somebody else's
 */
export function createSecretMemory(isRemembering: boolean): {
  sending(headers: Readonly<Record<string, string>>): SecretsSent
} {
  let remembered: readonly Sent[] = []

  return {
    sending(headers) {
      const own = Object.entries(headers).flatMap(([name, value]) => secretsIn(name.toLowerCase(), value))
      const others = remembered.filter(({ text }) => !own.some((each) => each.text === text))
      const all = [...others, ...own].slice(-MAX_REMEMBERED)
      if (isRemembering) remembered = all
      return { quoted: (text) => hide(text, all.filter(isLong)), data: (text) => hideInData(text, all) }
    },
  }
}

const isLong = ({ text }: Sent) => text.length >= MIN_CHARACTERS

/** The value of a header and, of basic authentication, the password in it. */
function secretsIn(name: string, value: string): Sent[] {
  if (name === TOKEN_HEADER.toLowerCase()) return [{ text: value, isToken: true }]
  if (name !== 'authorization') return []
  const [, encoded] = /^Basic (\S+)$/.exec(value) ?? []
  if (encoded === undefined) return [{ text: value, isToken: false }]
  const credentials = Buffer.from(encoded, 'base64').toString()
  const password = credentials.slice(credentials.indexOf(':') + 1)
  return [encoded, credentials, password].map((text) => ({ text, isToken: false }))
}

function hideInData(text: string, sent: readonly Sent[]): string {
  const tokens = sent.filter((each) => isToken(each))
  if (tokens.length === 0) return text
  // Some libraries escape even an equals sign, with which many tokens end.
  const plain = text.includes('\\u00') ? unescaped(text) : text
  return hide(plain === text || hide(plain, tokens) === plain ? text : rewritten(text), tokens)
}

/** For looking only: what is escaped for a reason is JSON no more. */
function unescaped(json: string): string {
  return json.replaceAll(/\\u00([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

function isToken({ text, isToken: isOne }: Sent): boolean {
  return isOne && text.length >= MIN_CHARACTERS_IN_DATA && !NUMBER.test(text)
}

/** JSON without needless escapes; anything else as it is. */
function rewritten(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}

function hide(text: string, sent: readonly Sent[]): string {
  // The longest first: one may be part of another.
  const forms = [...new Set(sent.flatMap((each) => formsOf(each.text)))].toSorted(
    (a, b) => b.length - a.length,
  )
  return forms.reduce((rest, form) => rest.replaceAll(form, PLACEHOLDER), text)
}

/** As it is, as JSON and XML escape it, percent-encoded, in base64, and in the base64 alphabet for URLs. */
function formsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  const xml = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const percent = encodeURIComponent(secret.toWellFormed())
  return [
    secret,
    json,
    json.replaceAll('/', '\\/'),
    xml,
    xml.replaceAll('"', '&quot;').replaceAll("'", '&apos;'),
    percent,
    percent.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64url'),
    Buffer.from(secret).toString('hex'),
    ...(secret.length < MIN_CHARACTERS_OF_BASE64 ? [] : [forUrls(secret)]),
  ]
}

function forUrls(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
