import { createEmulator } from '../src/emulator/emulator.ts'

/** An emulated storage system in a process of its own, which sends its URL and the id of its pool. */
const [nodes = '8'] = process.argv.slice(2)
const emulator = createEmulator({
  pools: 1,
  nodes: Number(nodes),
  profile: 'classic',
  listenAddress: '127.0.0.1:0',
})
await emulator.start()
process.send?.({ url: emulator.url, pool: emulator.pools[0]?.id })
