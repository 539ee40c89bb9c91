import { type EmulatedOperation, OPERATION_HELP } from '../http/routes.ts'
import type { FaultRow } from './kinds.ts'
import { FAULT_NAMES, FAULTS, type FaultName } from './table.ts'

export interface Fault {
  readonly name: FaultName
  readonly argument: string
  readonly operation?: EmulatedOperation
  /** Name or id: limits the fault to requests about this pool. */
  readonly pool?: string
  /** The number of matching requests to which the fault is limited. */
  readonly first?: number
}

/** Usage and description of each fault. */
export function faultHelp(): (readonly [usage: string, description: string])[] {
  return Object.entries<FaultRow>(FAULTS).map(([name, { argument, description }]) => {
    if (argument === undefined) return [name, description]
    const byDefault = argument.default === '' ? '' : ` (default ${argument.default})`
    return [`${name}[:${argument.name}]`, `${description}${byDefault}`]
  })
}

/**
 * Reads `NAME[:ARG][@TARGET]`, where TARGET is a comma-separated list of an operation, `pool=NAME_OR_ID` and
 * `first=COUNT`: `status:503,retry-after=30@nodes,pool=hot,first=3`.
 *
 * @throws RangeError that says what is invalid and what is valid
 */
export function parseFault(text: string): Fault {
  const at = text.lastIndexOf('@')
  const what = at < 0 ? text : text.slice(0, at)
  const colon = what.indexOf(':')
  const name = faultName(colon < 0 ? what : what.slice(0, colon))
  const argument = argumentOf(name, colon < 0 ? undefined : what.slice(colon + 1))
  if (FAULTS[name].tokens !== undefined && at >= 0) {
    throw new RangeError(`Fault "${text}": ${name} applies to all requests, so it takes no target`)
  }
  return { name, argument, ...(at >= 0 && parseTarget(text, text.slice(at + 1))) }
}

function faultName(text: string): FaultName {
  const name = FAULT_NAMES.find((candidate) => candidate === text)
  if (name !== undefined) return name
  throw new RangeError(`There is no fault "${text}". Faults are: ${FAULT_NAMES.join(', ')}.`)
}

function argumentOf(name: FaultName, text: string | undefined): string {
  const { argument } = FAULTS[name]
  if (argument === undefined) {
    if (text === undefined) return ''
    throw new RangeError(`Fault "${name}" takes no argument, but got "${text}"`)
  }
  const value = text ?? argument.default
  if (argument.pattern.test(value)) return value
  throw new RangeError(`The argument of fault "${name}" must be ${argument.name}, not "${value}"`)
}

function parseTarget(fault: string, text: string): Pick<Fault, 'operation' | 'pool' | 'first'> {
  const target: { operation?: EmulatedOperation; pool?: string; first?: number } = {}
  for (const part of text.split(',')) {
    const [, key, value = ''] = /^(pool|first)=(.+)$/.exec(part) ?? []
    if (key === 'pool') target.pool = value
    else if (key === 'first' && /^\d{1,9}$/.test(value)) target.first = Number(value)
    else if (key === undefined && Object.hasOwn(OPERATION_HELP, part))
      target.operation = part as EmulatedOperation
    else throw new RangeError(`Fault "${fault}": "${part}" is not a target. ${TARGET_HELP}`)
  }
  return target
}

export const TARGET_HELP =
  `A target is an operation (${Object.keys(OPERATION_HELP).join(', ')}), pool=NAME_OR_ID, ` +
  'first=COUNT (only the first COUNT requests that match), or several of them separated by commas.'
