import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseConfig } from '../../../src/config/load.ts'
import { readText } from '../../repository/repository.ts'
import { readCompose } from '../compose_file.ts'
import { parseUnit, valuesOf } from '../unit_file.ts'

const MEBIBYTE = 1024 ** 2
/** An exporter with a pool of 640 nodes; docs/reliability.md, "Hostile systems". */
const BASE_BYTES = 256 * MEBIBYTE
/** What decoding one body and the page of a system take, as multiples of `limits.max_response_bytes`. */
const DECODING_FACTOR = 8

function bytesOf(text: unknown): number {
  const [, number, unit] = /^(\d+)(M|m|Mi)$/.exec(String(text)) ?? []
  if (number === undefined || unit === undefined) throw new Error(`${text} is not a size in MiB`)
  return Number(number) * MEBIBYTE
}

const unit = parseUnit(readText('deploy/systemd/sds-exporter.service'))
const deployment = parse(readText('deploy/kubernetes/base/deployment.yaml'))
const compose = readCompose(readText('deploy/compose/compose.yaml')).services as Record<
  string,
  { mem_limit?: string }
>

describe('the default of limits.max_response_bytes fits into the memory limit of', () => {
  test.each<[string, unknown]>([
    ['systemd', valuesOf(unit, 'MemoryMax')[0]],
    ['Kubernetes', deployment.spec.template.spec.containers[0].resources.limits.memory],
    ['Compose', compose['sds-exporter']?.mem_limit],
  ])('%s', (_, limit) => {
    const config = parseConfig('systems: [{name: a, base_url: "https://a:4443", auth: {token: t}}]', {
      file: 'test.yml',
      environment: {},
    })
    const { limits } = config.systems[0] ?? expect.fail('a system is required')
    const bodies = limits.concurrency + DECODING_FACTOR
    expect(BASE_BYTES + bodies * limits.maxResponseBytes).toBeLessThanOrEqual(bytesOf(limit))
  })
})
