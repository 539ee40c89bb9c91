import { ApiError } from '../../../api/errors/errors.ts'
import { REASONS } from '../../../api/errors/reasons.ts'
import { POOL_LISTS } from '../../../api/feed/pools.ts'
import { clockSkewSeconds } from '../../../api/http/clock_skew.ts'
import { refusalOf } from '../../../api/http/refusals.ts'
import { createTransport, type HttpResponse, type Transport } from '../../../api/http/transport.ts'
import { parseJson } from '../../../api/parse/json.ts'
import { credentialHeaders } from '../../../api/session/create_session.ts'
import { type Finding, failed, failuresAsWarnings, filled } from '../check/check.ts'
import { type SystemContext, systemCheck } from '../check/system_facts.ts'

const [{ path, query }] = POOL_LISTS
const LIST_PATH = `${path}?${query}`

/** Sends one request without a token to each base URL; the management API must refuse it with 401 or a redirect. */
export const httpCheck = systemCheck({
  title: 'http',
  needs: ['connected'],
  gives: ['answering', 'skewSeconds'],
  run: async (context, { connected }) => {
    // If the file of the secret cannot be read, the check of the login reports it, and there is nothing to redact.
    const { system } = context
    const transport = createTransport({
      tls: system.tls,
      timeoutMs: system.poll.timeoutMs,
      concurrency: 1,
      maxResponseBytes: system.limits.maxResponseBytes,
      onCertificate: () => undefined,
      otherSecrets: await credentialHeaders(system.auth).catch(() => ({})),
    })
    try {
      const results = await Promise.all(connected.map((baseUrl) => probe(transport, baseUrl, context)))
      const answering = connected.filter((_, index) => results[index]?.finding.status !== 'fail')
      const skewSeconds = results.find((one) => one.skewSeconds !== undefined)?.skewSeconds
      return {
        findings: failuresAsWarnings(results.map(({ finding }) => finding)),
        facts: { answering: filled(answering), skewSeconds },
      }
    } finally {
      await transport.close()
    }
  },
})

async function probe(transport: Transport, baseUrl: string, { system, signal }: SystemContext) {
  const subject = new URL(baseUrl).host
  try {
    const answer = await transport.send({
      baseUrl,
      method: 'GET',
      path: LIST_PATH,
      headers: { Accept: 'application/json' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(system.poll.timeoutMs)]),
    })
    return { finding: { subject, ...(await findingFor(answer)) }, skewSeconds: clockSkewSeconds(answer) }
  } catch (failure) {
    signal.throwIfAborted()
    return { finding: failed(failure, { subject }), skewSeconds: undefined }
  }
}

async function findingFor(answer: HttpResponse): Promise<Finding> {
  const refusal = refusalOf(answer) ?? (await unreadable(answer))
  if (refusal === undefined) return { status: 'info', text: 'responds, even without a token' }
  if (refusal.reason === 'auth') return { status: 'ok', text: `responds (${answer.status} without a token)` }
  // Some systems check the token after the request. The next checks send a token.
  return failed(refusal, REASONS[refusal.reason].notAvailable ? { status: 'warn' } : {})
}

async function unreadable({ decode }: HttpResponse): Promise<ApiError | undefined> {
  try {
    await decode(parseJson)
    return undefined
  } catch (failure) {
    if (failure instanceof ApiError) return failure
    throw failure
  }
}
