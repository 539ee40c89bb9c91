import { readFileSync } from 'node:fs'

/** How the systemd unit runs the exporter. */
export interface Deployment {
  /** Environment of the process. */
  readonly env: Readonly<Record<string, string>>
  /** Limit of open file descriptors. */
  readonly descriptors: number
  /** Above this the system ends the process. */
  readonly memoryMib: number
}

const UNIT = 'deploy/systemd/sds-exporter.service'

/** Reads the systemd unit, so that the attacks meet the exporter as it is deployed. @throws if a setting is missing */
export function readDeployment(): Deployment {
  const unit = readFileSync(UNIT, 'utf8')
  const variables = [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [
    name,
    value,
  ])
  const number = (pattern: RegExp) => {
    const text = pattern.exec(unit)?.[1]
    if (text === undefined) throw new Error(`${UNIT} has no line that matches ${pattern}`)
    return Number(text)
  }
  return {
    env: Object.fromEntries(variables),
    descriptors: number(/^LimitNOFILE=(\d+)$/m),
    memoryMib: number(/^MemoryMax=(\d+)M$/m),
  }
}
