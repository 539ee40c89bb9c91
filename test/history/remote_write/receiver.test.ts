import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { BinaryReader } from '@bufbuild/protobuf/wire'
import { uncompress } from 'snappyjs'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  batchesOf,
  createReceiver,
  writeRequest,
} from '../../../src/history/remote_write/remote_destination.ts'

const NEVER = new AbortController().signal

async function serve(answer: (request: IncomingMessage, response: ServerResponse, count: number) => void) {
  const requests: IncomingMessage[] = []
  const server = createServer(async (request, response) => {
    requests.push(request)
    await buffer(request)
    answer(request, response, requests.length)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/write`)
  const receiver = createReceiver({ url, headers: { 'X-Scope-OrgID': 'storage' }, tls: {}, firstPauseMs: 1 })
  onTestFinished(receiver.close)
  return { receiver, requests }
}

describe('a receiver', () => {
  test('gets the headers of remote write 1.0', async () => {
    const { receiver, requests } = await serve((_, response) => response.writeHead(204).end())
    await receiver.send(new Uint8Array([1]), NEVER)
    expect(requests[0]).toMatchObject({
      method: 'POST',
      url: '/api/v1/write',
      headers: {
        'content-type': 'application/x-protobuf',
        'content-encoding': 'snappy',
        'x-prometheus-remote-write-version': '0.1.0',
        'x-scope-orgid': 'storage',
      },
    })
  })

  test('is asked again after 429, 5xx and a broken connection', async () => {
    const { receiver, requests } = await serve((request, response, count) => {
      if (count === 1) response.writeHead(429, { 'Retry-After': '0' }).end()
      else if (count === 2) response.writeHead(503).end('starting')
      else if (count === 3) request.socket.destroy()
      else response.writeHead(200).end()
    })
    await receiver.send(new Uint8Array([1]), NEVER)
    expect(requests).toHaveLength(4)
  })

  test('that refuses is quoted, and not asked again', async () => {
    const { receiver, requests } = await serve((_, response) =>
      response.writeHead(400).end('out of order\u001b[31m sample\n'),
    )
    await expect(receiver.send(new Uint8Array([1]), NEVER)).rejects.toThrow(
      /^remote write to http:\/\/127\.0\.0\.1:\d+\/api\/v1\/write: HTTP 400: out of order\\u001b\[31m sample$/,
    )
    expect(requests).toHaveLength(1)
  })

  test('that stays unavailable ends the sending with its words', async () => {
    const { receiver, requests } = await serve((_, response) => response.writeHead(500).end('disk full'))
    await expect(receiver.send(new Uint8Array([1]), NEVER)).rejects.toThrow('HTTP 500: disk full')
    expect(requests.length).toBeGreaterThan(5)
  })

  test('that always breaks the connection is reported with the failure', async () => {
    const { receiver } = await serve((request) => request.socket.destroy())
    await expect(receiver.send(new Uint8Array([1]), NEVER)).rejects.toThrow(
      /api\/v1\/write: other side closed$/,
    )
  })
})

const SERIES = {
  family: 'sds_node_x',
  labels: { system: 'a', pool: 'ü', Z: 'z', empty: '' },
  times: [1000, 1300],
  values: [0, 0.25],
}

/** Reads a message as lists of its fields. */
function fieldsOf(bytes: Uint8Array): [number, unknown][] {
  const reader = new BinaryReader(bytes)
  const fields: [number, unknown][] = []
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag()
    if (type === 0) fields.push([field, Number(reader.int64())])
    else if (type === 1) fields.push([field, reader.double()])
    else fields.push([field, reader.bytes()])
  }
  return fields
}

test('a request has sorted labels, without empty ones, and samples in milliseconds', () => {
  const [[field, series] = []] = fieldsOf(uncompress(writeRequest([{ series: SERIES, from: 0, to: 2 }])))
  expect(field).toBe(1)
  const members = fieldsOf(series as Uint8Array)
  const text = (value: unknown) => Buffer.from(value as Uint8Array).toString()
  const labels = members.filter(([one]) => one === 1).map(([, label]) => fieldsOf(label as Uint8Array))
  expect(labels.map((label) => label.map(([, value]) => text(value)))).toEqual([
    ['Z', 'z'],
    ['__name__', 'sds_node_x'],
    ['pool', 'ü'],
    ['system', 'a'],
  ])
  const samples = members.filter(([one]) => one === 2).map(([, sample]) => fieldsOf(sample as Uint8Array))
  expect(samples.map((sample) => sample.map(([, value]) => value))).toEqual([
    [0, 1_000_000],
    [0.25, 1_300_000],
  ])
})

test('batches have at most 5000 samples, in the order of the series', () => {
  const long = {
    ...SERIES,
    times: Array.from({ length: 7000 }, (_, index) => index),
    values: Array(7000).fill(1),
  }
  const batches = [...batchesOf([long, long])]
  expect(batches.map((batch) => batch.map(({ from, to }) => [from, to]))).toEqual([
    [[0, 5000]],
    [
      [5000, 7000],
      [0, 3000],
    ],
    [[3000, 7000]],
  ])
})
