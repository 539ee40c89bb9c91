import { describe, expect, test } from 'vitest'
import { FAULT_NAMES, faultHelp, parseFault } from '../../../src/emulator/faults/table.ts'
import { createEmulator } from '../../support/programs/emulator.ts'

describe('parseFault', () => {
  test.each([
    ['reset', { name: 'reset', argument: '' }],
    ['status', { name: 'status', argument: '503' }],
    ['slow-headers:0.5', { name: 'slow-headers', argument: '0.5' }],
    [
      'status:503,retry-after=30@nodes',
      { name: 'status', argument: '503,retry-after=30', operation: 'nodes' },
    ],
    ['html@pool=hot', { name: 'html', argument: '', pool: 'hot' }],
    ['stall@forecast,first=3', { name: 'stall', argument: '', operation: 'forecast', first: 3 }],
    [
      'reset@history,pool=urn:storageos:VirtualArray:1,first=1',
      { name: 'reset', argument: '', operation: 'history', pool: 'urn:storageos:VirtualArray:1', first: 1 },
    ],
    [
      'redirect-login:https://other.example:8443@login',
      { name: 'redirect-login', argument: 'https://other.example:8443', operation: 'login' },
    ],
    ['status:503,retry-after=Wed, 11 Mar 2026 12:35:00 GMT', undefined],
    ['unknown-health:', { name: 'unknown-health', argument: '' }],
  ])('%s', (text, expected) => {
    if (expected === undefined) expect(parseFault(text).argument).toBe(text.slice('status:'.length))
    else expect(parseFault(text)).toEqual(expected)
  })

  test.each([
    ['', /There is no fault "".*Faults are: .*reset/],
    ['resett', /There is no fault "resett"/],
    ['constructor', /There is no fault "constructor"/],
    ['reset:5', /"reset" takes no argument, but got "5"/],
    ['slow-headers:soon', /argument of fault "slow-headers" must be SECONDS, not "soon"/],
    ['status:oops', /argument of fault "status" must be STATUS/],
    ['status:503,retry=3', /argument of fault "status" must be STATUS/],
    ['truncate:somewhere', /must be length\|chunked\|close/],
    ['redirect-login:other.example', /must be ORIGIN/],
    ['bad-values:zzz', /must be mixed\|nan\|infinity\|huge\|.*\|nan-literal\|infinity-literal, not "zzz"/],
    [
      'reset@everything',
      /"everything" is not a target.*an operation \(login, .*pool=NAME_OR_ID, first=COUNT \(only the first COUNT/,
    ],
    ['reset@', /"" is not a target/],
    ['reset@first=many', /"first=many" is not a target/],
    ['expire-tokens@nodes', /takes no target/],
  ])('"%s" is refused with an explanation', (text, reason) => {
    expect(() => parseFault(text)).toThrow(reason)
  })

  test('an unknown pool is refused', () => {
    expect(() => createEmulator({ faults: ['reset@pool=cold'] })).toThrow(
      'There is no pool "cold". Pools are: hot, archive.',
    )
  })
})

describe('the table of faults', () => {
  test('the help shows argument and default', () => {
    const help = new Map(faultHelp())
    expect(help.get('status[:STATUS[,OPTION=VALUE…]]')).toMatch(/^responds with an error.* \(default 503\)$/)
    expect(help.get('redirect-login[:ORIGIN]')).toMatch(/origin$/)
    expect(help.get('reset')).toMatch(/^closes the connection/)
  })

  test.each(FAULT_NAMES)('%s works without an argument', (name) => {
    expect(parseFault(name).name).toBe(name)
  })
})
