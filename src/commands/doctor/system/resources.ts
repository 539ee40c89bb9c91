import type { SystemClient } from '../../../api/client.ts'
import { ApiError, isOfSystem } from '../../../api/errors/errors.ts'
import type { PoolRef } from '../../../api/feed/pools.ts'
import { softwareText, softwareVersions } from '../../../api/resources/hardware.ts'
import type { ResourceReading } from '../../../api/resources/reading.ts'
import { isFailure, isNotAvailable, withResourceRemedy } from '../../../api/resources/refusals.ts'
import { readPoolFigures } from '../../../readings/pools.ts'
import { kindsOf, type ObjectKind, RESOURCE_NAMES, type ResourceName } from '../../../system_catalogue.ts'
import { counted } from '../../../text.ts'
import { createCommandReader } from '../../cli/systems.ts'
import { allOf, type CheckResult, type Finding, failed, filled, firstOf } from '../check/check.ts'
import { type SystemContext, type SystemFacts, systemCheck } from '../check/system_facts.ts'

export const poolsCheck = systemCheck({
  title: 'pools',
  needs: ['client'],
  gives: ['pools'],
  run: async ({ system, signal }, { client }) => {
    try {
      return compare(system.pools, await client.pools(signal))
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      return withoutList(system.pools, failure)
    }
  },
})

type Configured = SystemContext['system']['pools']

function compare(configured: Configured, listed: readonly PoolRef[]): CheckResult<SystemFacts> {
  if (configured === undefined) {
    const names = listed.map(({ id, name }) => name ?? id).join(', ')
    const found = firstOf(
      undefined,
      [[listed.length === 0, 'warn', ...NONE]],
      'ok',
      `${listed.length} discovered: ${names}`,
    )
    return { findings: [found], facts: { pools: filled(listed) } }
  }
  const known = listed.map(({ id, name }) => (name === undefined ? id : `${id} (${name})`)).join(', ')
  const remedy = `correct systems[].pools, or remove it to discover the pools; the system lists ${known || 'none'}`
  const missing = configured.filter((id) => find(listed, id) === undefined)
  const unknown = missing.flatMap((id) =>
    allOf(id, [[true, 'fail', 'configured, but not listed by the system', remedy]]),
  )
  const text = `configured: ${configured.length} of ${listed.length} pools`
  return {
    findings: filled(unknown) ?? [{ status: 'ok', text }],
    facts: { pools: configured.map((id) => ({ id, name: find(listed, id)?.name })) },
  }
}

const CONFIGURE = 'configure the pools in systems[].pools, because the system does not list them'
const NONE = [
  'the system lists no pools',
  'configure the pools in systems[].pools, or check the permissions of the account',
] as const

/** A pool can be configured by its URN or by the UUID in it. */
function find(listed: readonly PoolRef[], id: string): PoolRef | undefined {
  return listed.find((pool) => pool.id === id || pool.id.endsWith(`:${id}`) || id.endsWith(`:${pool.id}`))
}

/** Without a list, the configured pools are used; it is an error only if there are none. */
function withoutList(configured: Configured, failure: ApiError): CheckResult<SystemFacts> {
  if (configured === undefined)
    return {
      findings: [failed(failure, failure.reason === 'not_found' ? { remedy: CONFIGURE } : {})],
      facts: {},
    }
  const text = `the configured ids cannot be compared: ${failure.detail}`
  const unlisted = 'the system has no list of pools: the configured ids are used'
  // The API document has no such list, so a system need not have one.
  const finding: Finding =
    failure.reason === 'not_found'
      ? { status: 'info', text: unlisted }
      : failed(failure, { status: 'warn', text })
  return {
    findings: [finding],
    facts: { pools: configured.map((id) => ({ id, name: undefined })) },
  }
}

/** Of objects that take a request each. */
const MAX_SINGLE = 3

/** Reads each resource once. */
export const resourcesCheck = systemCheck({
  title: 'resources',
  needs: ['client'],
  run: async (context, { client }) => {
    const findings: Finding[] = []
    for (const name of RESOURCE_NAMES) {
      if (context.system.resources[name].schedule === '') continue
      const finding = await readOne(name, client, context)
      findings.push(finding)
      // The others would fail, too, perhaps each after a timeout.
      if (finding.ends) return findings
    }
    return findings
  },
})

interface ResourceFinding extends Finding {
  readonly ends?: true
}

async function readOne(
  name: ResourceName,
  client: SystemClient,
  { system, signal }: SystemContext,
): Promise<ResourceFinding> {
  const reader = createCommandReader(client, system, { maxSingle: MAX_SINGLE })
  const read = (kind: ObjectKind) =>
    (kind.isListOfPools ? readPoolFigures(client, signal) : reader.read(kind, signal)).catch(asFailure)
  const readings: ResourceReading[] = []
  let failure: ApiError | undefined
  for (const kind of kindsOf(name)) {
    const outcome = await read(kind)
    if (!(outcome instanceof ApiError)) readings.push(outcome)
    else failure ??= withResourceRemedy(outcome, name)
    if (failure !== undefined && isOfSystem(failure)) break
  }
  if (readings.length > 0) return readingFinding(name, readings, failure)
  if (failure === undefined) throw new RangeError(`the resource ${name} has no requests`)
  const finding = failed(failure, { status: isNotAvailable(failure) ? 'info' : 'warn' })
  return { ...finding, subject: name, ...(isOfSystem(failure) && { ends: true }) }
}

function asFailure(cause: unknown): ApiError {
  if (cause instanceof ApiError) return cause
  throw cause
}

function readingFinding(
  subject: ResourceName,
  readings: readonly ResourceReading[],
  failure: ApiError | undefined,
): Finding {
  const objects = readings.flatMap((reading) => reading.objects)
  const versions = softwareVersions(objects)
  const software = versions.length === 0 ? '' : `, software ${softwareText(versions)}`
  const text = `${counted(objects.length, 'object')}${software}`
  const [rejected] = readings.flatMap((reading) => reading.rejected)
  if (rejected !== undefined)
    return {
      status: 'warn',
      subject,
      text: `${text}; values that are not exported, such as ${rejected.text} (${rejected.reason})`,
      remedy: 'report this with the version of the system',
    }
  if (failure === undefined) return { status: 'ok', subject, text }
  const { detail, remedy } = failure
  const [status, what] = isFailure(failure)
    ? (['warn', 'could not be read'] as const)
    : (['info', 'is not available'] as const)
  return { status, subject, text: `${text}; a part ${what}: ${detail}`, remedy }
}
