import { OPERATION_HELP, type Operation } from '../protocol/operations.ts'
import type { FaultRow } from './fault.ts'
import { FEED_FAULTS } from './feed_faults.ts'
import { RESPONSE_FAULTS } from './response_faults.ts'
import { ROW_FAULTS } from './row_faults.ts'
import { SETTINGS_FAULTS, TIME_FAULTS } from './settings_faults.ts'
import { WIRE_FAULTS } from './wire_faults.ts'

const ROWS = {
  ...TIME_FAULTS,
  ...RESPONSE_FAULTS,
  ...WIRE_FAULTS,
  ...FEED_FAULTS,
  ...SETTINGS_FAULTS,
  ...ROW_FAULTS,
} as const satisfies Record<string, FaultRow>

export type FaultName = keyof typeof ROWS
export const FAULT_NAMES = Object.keys(ROWS) as readonly FaultName[]

export interface Fault {
  readonly name: FaultName
  readonly argument: string
  readonly operation?: Operation
  /** Name or id: limits the fault to requests about this pool. */
  readonly pool?: string
  /** The number of matching requests to which the fault is limited. */
  readonly first?: number
}

export function rowOf(name: FaultName): FaultRow {
  return ROWS[name]
}

export function faultHelp(): (readonly [usage: string, help: string])[] {
  return FAULT_NAMES.map((name) => {
    const { argument, help } = rowOf(name)
    if (argument === undefined) return [name, help]
    const fallback = argument.fallback === '' ? '' : ` (default ${argument.fallback})`
    return [`${name}[:${argument.name}]`, `${help}${fallback}`]
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
  const target = at < 0 ? {} : parseTarget(text, text.slice(at + 1))
  if (rowOf(name).tokenUses !== undefined && at >= 0) {
    throw new RangeError(`Fault "${text}": ${name} applies to all requests, so it takes no target`)
  }
  return { name, argument, ...target }
}

function faultName(text: string): FaultName {
  const name = FAULT_NAMES.find((candidate) => candidate === text)
  if (name !== undefined) return name
  throw new RangeError(`There is no fault "${text}". Faults are: ${FAULT_NAMES.join(', ')}.`)
}

function argumentOf(name: FaultName, text: string | undefined): string {
  const { argument } = rowOf(name)
  if (argument === undefined) {
    if (text === undefined) return ''
    throw new RangeError(`Fault "${name}" takes no argument, but got "${text}"`)
  }
  const value = text ?? argument.fallback
  if (argument.pattern.test(value)) return value
  throw new RangeError(`The argument of fault "${name}" must be ${argument.name}, not "${value}"`)
}

function parseTarget(fault: string, text: string): Pick<Fault, 'operation' | 'pool' | 'first'> {
  const target: { operation?: Operation; pool?: string; first?: number } = {}
  for (const part of text.split(',')) {
    const [, key, value = ''] = /^(pool|first)=(.+)$/.exec(part) ?? []
    if (key === 'pool') target.pool = value
    else if (key === 'first' && /^\d{1,9}$/.test(value)) target.first = Number(value)
    else if (key === undefined && Object.hasOwn(OPERATION_HELP, part)) target.operation = part as Operation
    else throw new RangeError(`Fault "${fault}": "${part}" is not a target. ${TARGET_HELP}`)
  }
  return target
}

export const TARGET_HELP =
  `A target is an operation (${Object.keys(OPERATION_HELP).join(', ')}), pool=NAME_OR_ID, ` +
  'first=COUNT (only the first COUNT requests that match), or several of them separated by commas.'
