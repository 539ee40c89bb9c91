import { TOKEN_HEADER } from './token_header.ts'

const PLACEHOLDER = '<secret>'
/** Headers that prove who the exporter is, in lower case. */
const SECRET_HEADERS: readonly string[] = ['authorization', TOKEN_HEADER.toLowerCase()]
/** A shorter secret would turn ordinary words of the text into placeholders. */
const MIN_CHARACTERS = 4

/**
 * A text of the storage system without the secrets that it was sent, in whatever form it may write them: error bodies
 * are quoted in logs and on pages, and some servers repeat in them what they were sent.
 */
export function hideSecrets(text: string, sent: Readonly<Record<string, string>>): string {
  const secrets = Object.entries(sent)
    .filter(([name]) => SECRET_HEADERS.includes(name.toLowerCase()))
    .flatMap(([, value]) => secretsIn(value))
    .filter((secret) => secret.length >= MIN_CHARACTERS)
  return secrets.flatMap(formsOf).reduce((rest, form) => rest.replaceAll(form, PLACEHOLDER), text)
}

/** The value of a header and, of basic authentication, the password in it. */
function secretsIn(value: string): string[] {
  const [, encoded] = /^Basic (\S+)$/.exec(value) ?? []
  if (encoded === undefined) return [value]
  const credentials = Buffer.from(encoded, 'base64').toString()
  return [encoded, credentials, credentials.slice(credentials.indexOf(':') + 1)]
}

/** As it is, as JSON and XML escape it, percent-encoded, in base64. */
function formsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  const xml = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return [
    secret,
    json,
    json.replaceAll('/', '\\/'),
    xml,
    xml.replaceAll('"', '&quot;').replaceAll("'", '&apos;'),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64'),
  ]
}
