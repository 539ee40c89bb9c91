import { describe, expect, test } from 'vitest'
import { run, startProcess } from './processes.ts'

const node = (script: string): [string, string[]] => [process.execPath, ['-e', script]]

const IGNORES_SIGTERM = `process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000)`

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('run', () => {
  test('passes input, and returns code and both outputs', async () => {
    const script = `process.stdin.on('data', (b) => console.log('in ' + b)).on('end', () => { console.error('ä'); process.exitCode = 3 })`
    const [command, args] = node(script)
    expect(await run(command, args, { input: 'hello' })).toEqual({
      code: 3,
      signal: null,
      stdout: 'in hello\n',
      stderr: 'ä\n',
    })
  })

  test('kills a program after the timeout', async () => {
    const [command, args] = node(IGNORES_SIGTERM)
    expect(await run(command, args, { timeout: 500 })).toMatchObject({ code: null, signal: 'SIGKILL' })
  })

  test('names a program that cannot be started', async () => {
    await expect(run('no-such-program', [])).rejects.toThrow('no-such-program cannot be started')
  })
})

describe('startProcess', () => {
  test('waits for output on either stream', async () => {
    await using child = await startProcess(...node(`console.error('port 42'); setInterval(() => {}, 1000)`))
    const [, port] = await child.waitForOutput(/port (\d+)/)
    expect(port).toBe('42')
  })

  test('says at once, with the output, when the child ends before', async () => {
    await using child = await startProcess(...node(`console.error('no licence'); process.exit(7)`))
    const waiting = child.waitForOutput(/ready/)
    await expect(waiting).rejects.toThrow(/ended \(7\) before \/ready\/[\s\S]*no licence/)
  })

  test('finds output that was written just before the exit', async () => {
    await using child = await startProcess(...node(`process.stdout.write('x'.repeat(100_000) + 'end')`))
    await child.exited
    expect((await child.waitForOutput(/end/))[0]).toBe('end')
  })

  test('stops a child that ignores SIGTERM', async () => {
    await using child = await startProcess(...node(IGNORES_SIGTERM))
    await child.waitForOutput(/up/)
    expect(await child.stop(50)).toEqual({ code: null, signal: 'SIGKILL' })
    expect(isAlive(child.pid)).toBe(false)
  })

  test('stops the child when a test fails', async () => {
    const pids: number[] = []
    const failing = async () => {
      await using child = await startProcess(...node(`setInterval(() => {}, 1000)`))
      pids.push(child.pid)
      expect(isAlive(child.pid)).toBe(true)
      throw new Error('assertion')
    }
    await expect(failing()).rejects.toThrow('assertion')
    expect(pids.map(isAlive)).toEqual([false])
  })
})
