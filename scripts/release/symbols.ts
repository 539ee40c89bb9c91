/** Places of fields in the header of an ELF file of 64 bits with the least significant byte first. */
const HEADER = { sections: 0x28, size: 0x3a, count: 0x3c, names: 0x3e } as const
/** Places of fields in the header of a section. */
const SECTION = { type: 4, flags: 8, offset: 24, length: 32 } as const
const MAGIC = Buffer.from('\x7fELF\x02\x01', 'latin1')
const ALLOCATED = 2n
const WITHOUT_CONTENT = 8

/**
 * An executable without its table of symbols and its debug information, a tenth of an archive. Neither is loaded: names
 * that are resolved at run time are in other sections. The sections that are loaded come first, so that their numbers and
 * places remain. Files that are not ELF are returned as they are.
 */
export function withoutSymbols(file: Buffer): Buffer {
  if (!file.subarray(0, MAGIC.length).equals(MAGIC)) return file
  const start = Number(file.readBigUInt64LE(HEADER.sections))
  const size = file.readUInt16LE(HEADER.size)
  const sections = Array.from({ length: file.readUInt16LE(HEADER.count) }, (_, at) =>
    Buffer.from(file.subarray(start + at * size, start + (at + 1) * size)),
  )
  const names = sections[file.readUInt16LE(HEADER.names)]
  if (names === undefined) return file
  const isLoaded = (section: Buffer) => (section.readBigUInt64LE(SECTION.flags) & ALLOCATED) !== 0n
  const kept = sections.slice(0, sections.findLastIndex(isLoaded) + 1)
  const content = Buffer.from(file.subarray(0, Math.max(...kept.map(endOf))))
  const text = contentOf(file, names)
  names.writeBigUInt64LE(BigInt(content.length), SECTION.offset)
  const padding = Buffer.alloc(-(content.length + text.length) & 7)
  content.writeBigUInt64LE(BigInt(content.length + text.length + padding.length), HEADER.sections)
  content.writeUInt16LE(kept.length + 1, HEADER.count)
  content.writeUInt16LE(kept.length, HEADER.names)
  return Buffer.concat([content, text, padding, ...kept, names])
}

function endOf(section: Buffer): number {
  if (section.readUInt32LE(SECTION.type) === WITHOUT_CONTENT) return 0
  return Number(section.readBigUInt64LE(SECTION.offset) + section.readBigUInt64LE(SECTION.length))
}

function contentOf(file: Buffer, section: Buffer): Buffer {
  return file.subarray(Number(section.readBigUInt64LE(SECTION.offset)), endOf(section))
}
