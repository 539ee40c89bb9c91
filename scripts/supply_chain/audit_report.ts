import type { Judgement } from './judgements.ts'

/** A published advisory about a locked package. */
export interface Finding {
  readonly advisory: string
  readonly package: string
  readonly severity: string
  readonly title: string
  /** The vulnerable versions. */
  readonly range: string
}

interface Via {
  readonly name: string
  readonly url: string
  readonly title: string
  readonly severity: string
  readonly range: string
}

interface Report {
  readonly vulnerabilities?: Readonly<Record<string, { readonly via: readonly (string | Via)[] }>>
  readonly message?: string
}

/**
 * The advisories in the output of `npm audit --json`, without duplicates.
 * @throws with the message of npm if there is no report
 */
export function readAudit(text: string): readonly Finding[] {
  const report = JSON.parse(text) as Report
  if (report.vulnerabilities === undefined)
    throw new Error(`the registry gave no answer: ${report.message ?? text.slice(0, 500)}`)
  const vias = Object.values(report.vulnerabilities).flatMap(({ via }) => via)
  const findings = vias
    .filter((via) => typeof via === 'object')
    .map(({ name, url, title, severity, range }) => ({
      advisory: url.slice(url.lastIndexOf('/') + 1),
      package: name,
      severity,
      title,
      range,
    }))
  return [...new Map(findings.map((one) => [`${one.advisory} ${one.package}`, one])).values()]
}

/**
 * Open findings: without a judgement or with an expired one. Also judgements without a finding.
 * @param today `YYYY-MM-DD`
 */
export function openPoints(
  findings: readonly Finding[],
  judgements: readonly Judgement[],
  today: string,
): string[] {
  const isAbout = (finding: Finding) => (judgement: Judgement) =>
    judgement.advisory === finding.advisory && judgement.package === finding.package
  const unjudged = findings.flatMap((finding) => {
    const what = `${finding.advisory} (${finding.severity}) in ${finding.package} ${finding.range}: ${finding.title}`
    const judgement = judgements.find(isAbout(finding))
    if (judgement === undefined) return [`${what}; update the package, or judge it`]
    return judgement.until < today ? [`${what}; its judgement ended on ${judgement.until}`] : []
  })
  const idle = judgements
    .filter((judgement) => !findings.some((finding) => isAbout(finding)(judgement)))
    .map(({ advisory, package: name }) => `${advisory} in ${name} is found no more; remove its judgement`)
  return [...unjudged, ...idle]
}
