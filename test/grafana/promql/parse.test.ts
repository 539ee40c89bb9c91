import { describe, expect, test } from 'vitest'
import { parse, resultLabels, selectorsOf } from './parse.ts'

const labels = (expr: string): string[] => [...(resultLabels(parse(expr)) ?? [])].sort()

describe('the PromQL parser of the tests', () => {
  test('refuses invalid PromQL with the position', () => {
    expect(() => parse('sum(up')).toThrow('not PromQL at character 6')
  })

  test('finds selectors inside functions, with range and enclosing operations', () => {
    expect(selectorsOf(parse('sum by (job) (rate(process_cpu_seconds_total{job=~"$job"}[5m]))'))).toEqual([
      {
        metric: 'process_cpu_seconds_total',
        matchers: [{ label: 'job', operator: '=~', value: '$job' }],
        range: '5m',
        around: ['rate', 'sum'],
      },
    ])
  })

  test('derives the labels of a result', () => {
    expect(labels('max by (system,pool) (sds_node_disks)')).toEqual(['pool', 'system'])
    expect(labels('max without (instance) (sds_system_up)')).toEqual(
      labels('sds_system_up').filter((name) => name !== 'instance'),
    )
    expect(labels('topk(3, max by (node) (sds_node_disks))')).toEqual(['node'])
    expect(labels('sum(sds_node_disks) or vector(0)')).toEqual([])
    expect(labels('time() - max by (system) (sds_system_up)')).toEqual(['system'])
    expect(labels('sum by (le) (rate(sds_api_request_duration_seconds_bucket[5m]))')).toEqual(['le'])
    expect(
      labels(
        'max by (system,pool) (sds_pool_up) * on (system,pool) group_left (pool_id) max by (system,pool,pool_id) (sds_pool_info)',
      ),
    ).toEqual(['pool', 'pool_id', 'system'])
  })

  test('refuses missing labels, and sides that cannot match', () => {
    expect(() => labels('sum by (node) (max by (pool) (sds_node_disks))')).toThrow('no label node')
    expect(() => labels('max by (pool) (sds_node_disks) / max by (node) (sds_node_disks)')).toThrow(
      'other labels',
    )
    expect(() => labels('max by (pool) (sds_node_disks) / on (node) max by (node) (sds_node_disks)')).toThrow(
      'no label node',
    )
  })
})
