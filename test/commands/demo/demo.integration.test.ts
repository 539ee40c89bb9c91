import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { freePort } from '../../support/ports.ts'
import { runCommand } from '../run_command.ts'

test('a demo that cannot start ends its emulated systems', async () => {
  const taken = createServer()
  await once(taken.listen(0, '127.0.0.1'), 'listening')
  const { port } = taken.address() as AddressInfo
  const free = await freePort()
  const { code, stderr } = await runCommand([
    'demo',
    `--web.listen-address=127.0.0.1:${port}`,
    `--emulator.listen-address=127.0.0.1:${free}`,
    '--admin.listen-address=',
  ])
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining(`cannot listen on '127.0.0.1:${port}'`),
  })
  const again = createServer()
  await once(again.listen(free, '127.0.0.1'), 'listening')
  again.close()
  taken.close()
})
