import { appendFileSync, readdirSync, rmSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createReadings, MAX_FILE_BYTES, readTextFile } from '../../src/values/files.ts'
import { type Folder, temporaryFolder } from '../support/folders.ts'

let folder: Folder
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => folder[Symbol.dispose]())

const fileOf = (text: string): string => folder.write('file', text)

test('a file is read whole up to its maximum size, and refused beyond', () => {
  const path = fileOf('ä'.repeat(MAX_FILE_BYTES.secret / 2))
  expect(readTextFile(path, 'secret')).toEqual({ text: 'ä'.repeat(MAX_FILE_BYTES.secret / 2) })
  appendFileSync(path, 'b')
  expect(readTextFile(path, 'secret')).toEqual({ problem: 'is too large: 65537 bytes, the limit is 65536' })
})

test.each([
  ['directory', () => folder.path],
  // Reading it would never end.
  ['device', () => '/dev/zero'],
])('a %s is refused', (type, pathOf) => {
  const problem = `cannot be read: it is a ${type}, not a regular file`
  expect(readTextFile(pathOf(), 'secret')).toEqual({ problem })
})

test.each([
  ['Latin-1', Buffer.from('one\ntwo\npassw\xf6rd\nfour', 'latin1')],
  ['UTF-16', Buffer.from('\ufeffpassword', 'utf16le')],
  ['UTF-8 that is cut', Buffer.from('one\n\u20ac').subarray(0, -1)],
])('a file in %s is refused', (_, bytes) => {
  const path = fileOf('')
  appendFileSync(path, bytes)
  expect(readTextFile(path, 'secret')).toEqual({
    problem: 'is not UTF-8 text: save it in UTF-8',
  })
})

test('files are closed after they were read', () => {
  const path = fileOf('text')
  const open = () => readdirSync('/proc/self/fd').length
  const before = open()
  for (let reads = 0; reads < 50; reads += 1) readTextFile(path, 'secret')
  expect(open()).toBeLessThan(before + 50)
})

test('a file has changed when its content is another, not when it is written again', () => {
  const path = fileOf('one')
  const readings = createReadings()
  expect(readings.hasChanged()).toBe(false)
  readings.read(path, 'secret')
  fileOf('one')
  expect(readings.hasChanged()).toBe(false)
  fileOf('two')
  expect(readings.hasChanged()).toBe(true)
  rmSync(path)
  expect(readings.hasChanged()).toBe(true)
})
