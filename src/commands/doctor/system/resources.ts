import type { SystemClient } from '../../../api/client.ts'
import { ApiError, isOfSystem } from '../../../api/errors/errors.ts'
import { softwareText, softwareVersions } from '../../../api/resources/hardware.ts'
import type { ResourceReading } from '../../../api/resources/reading.ts'
import { isNotAvailable, withResourceRemedy } from '../../../api/resources/refusals.ts'
import { readPoolFigures } from '../../../poller/resource_poller.ts'
import { RESOURCE_NAMES, type ResourceName } from '../../../system_catalogue.ts'
import { counted } from '../../../text.ts'
import { createCommandReader } from '../../cli/systems.ts'
import { type Finding, failed } from '../check/check.ts'
import { type SystemContext, systemCheck } from '../check/system_facts.ts'

const QUOTAS = 3

/** Reads each resource once, but not the buckets, which take a request for each namespace. */
export const resourcesCheck = systemCheck({
  title: 'resources',
  needs: ['client'],
  run: async (context, { client }) => {
    const { schedules } = context.system.resources
    const findings: Finding[] = []
    for (const name of RESOURCE_NAMES) {
      if (schedules[name] === '') continue
      const finding = name === 'buckets' ? NOT_READ : await readOne(name, client, context)
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

const NOT_READ: ResourceFinding = {
  status: 'info',
  subject: 'buckets',
  text: 'not read by this command, because that takes a request for each namespace',
}

async function readOne(
  name: ResourceName,
  client: SystemClient,
  { system, signal }: SystemContext,
): Promise<ResourceFinding> {
  const { namespaces, buckets } = system.resources
  const max = name === 'quotas' ? QUOTAS : namespaces.max
  const reader = createCommandReader(client, { namespaces: { ...namespaces, max }, buckets })
  try {
    return readingFinding(
      name,
      name === 'pools' ? await readPoolFigures(client, signal) : await reader.read(name, signal),
    )
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause
    const failure = withResourceRemedy(cause, name)
    const finding = failed(failure, { status: isNotAvailable(cause) ? 'info' : 'warn' })
    return { ...finding, subject: name, ...(isOfSystem(cause) && { ends: true }) }
  }
}

function readingFinding(subject: ResourceName, reading: ResourceReading): Finding {
  const { objects, missing, rejected } = reading
  const versions = softwareVersions(objects)
  const software = versions.length === 0 ? '' : `, software ${softwareText(versions)}`
  const text = `${counted(objects.length, 'object')}${software}`
  const [first] = rejected
  if (first !== undefined)
    return {
      status: 'warn',
      subject,
      text: `${text}; values that are not exported, such as ${first.text} (${first.reason})`,
      remedy: 'report this with the version of the system',
    }
  if (missing === undefined) return { status: 'ok', subject, text }
  const { detail, remedy } = withResourceRemedy(missing, subject)
  return { status: 'info', subject, text: `${text}; a part is not available: ${detail}`, remedy }
}
