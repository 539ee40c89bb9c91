import { describe, expect, test } from 'vitest'
import { createInterfaceRule } from '../../../../src/api/query/values/interfaces.ts'
import { NO_FILTER } from '../query_files.ts'

const summed = (names: readonly string[], filter = {}) =>
  createInterfaceRule({ ...NO_FILTER, ...filter }).summed(names)
const CURRENT = ['private.4', 'public', 'public.data', 'public.repl']

describe('by default', () => {
  test.each([
    ['a VLAN is not added to its parent', CURRENT, ['private.4', 'public']],
    ['loopback and interfaces of containers are left out', ['lo', 'docker0', 'veth1a', 'public'], ['public']],
    ['slaves are not added to their bond', ['bond0', 'eth0', 'eno1', 'private.4'], ['bond0', 'private.4']],
    [
      'slaves are known by their names',
      ['public', 'slave-0', 'slave-1', 'private', 'pslave-0'],
      ['public', 'private'],
    ],
    ['slaves without any bond are added', ['slave-0', 'slave-1', 'lo'], ['slave-0', 'slave-1']],
    ['physical interfaces without a bond are added', ['eth0', 'eth1'], ['eth0', 'eth1']],
    ['a VLAN of a bond is not added', ['bond0', 'bond0.12'], ['bond0']],
  ])('%s', (_, names, expected) => {
    expect(summed(names)).toEqual(expected)
  })
})

test('include replaces the rule, and exclude comes on top of either', () => {
  expect(summed(CURRENT, { include: 'public\\..*' })).toEqual(['public.data', 'public.repl'])
  expect(summed(CURRENT, { include: 'public.*', exclude: 'public\\.repl' })).toEqual([
    'public',
    'public.data',
  ])
  expect(summed(CURRENT, { exclude: 'private.*' })).toEqual(['public'])
})

test('expressions match whole names', () => {
  expect(summed(CURRENT, { include: 'public' })).toEqual(['public'])
  expect(summed(CURRENT, { exclude: 'priv|publ' })).toEqual(['private.4', 'public'])
})

test('an excluded parent does not hide its VLANs', () => {
  expect(summed(CURRENT, { exclude: 'public' })).toEqual(['private.4', 'public.data', 'public.repl'])
})

test('counters of VLANs are exported, those of excluded and virtual interfaces are not', () => {
  const exported = (filter = {}) =>
    createInterfaceRule({ ...NO_FILTER, ...filter }).exported([...CURRENT, 'lo', 'veth1'])
  expect(exported()).toEqual(CURRENT)
  expect(exported({ exclude: 'public\\..*', include: 'lo|public' })).toEqual(['private.4', 'public', 'lo'])
})

test('the rule takes linear time: 256,000 names take less than 10 s of CPU time; quadratic time is more than a minute', () => {
  const names = Array.from({ length: 256_000 }, (_, index) => `eth${index}.${index}`)
  const before = process.threadCpuUsage()
  createInterfaceRule(NO_FILTER).summed(names)
  const { user, system } = process.threadCpuUsage(before)
  expect(user + system).toBeLessThan(10_000_000)
})
