import { EMULATOR_DEFAULTS } from '../../../emulator/options.ts'

/** Flags of listeners with the addresses that they have by default. */
const LISTENERS: readonly (readonly [flag: string, command: RegExp, address: string])[] = [
  ['--listen-address', /^emulate$/, EMULATOR_DEFAULTS.listenAddress],
  ['--emulator.listen-address', /^demo$/, ''],
  ['--admin.listen-address', /./, '127.0.0.1:9439'],
  ['--web.listen-address', /./, ':9438'],
]
const PORT_STEP = 10_000
const MAX_PORT = 65_535

/**
 * A command line with another port in place of the one that is in use.
 * @param args the words after the name of the program
 * @param address the listen address with this port, as in the flag
 * @returns undefined if no flag has this address
 */
export function withOtherPort(args: readonly string[], address: string): string | undefined {
  const other = otherPort(address)
  const words = args.map((word, index) => {
    const [flag] = word.split('=', 1)
    if (!isListener(flag)) return isListener(args[index - 1]) && word === address ? other : word
    return word === `${flag}=${address}` ? `${flag}=${other}` : word
  })
  const isReplaced = words.some((word, index) => word !== args[index])
  const [unset] =
    LISTENERS.find(([, command, usual]) => command.test(args[0] ?? '') && usual === address) ?? []
  if (!isReplaced && unset === undefined) return undefined
  const flag = isReplaced ? [] : [`${unset}=${other}`]
  return ['sds-exporter', ...words, ...flag].map(shellWord).join(' ')
}

function isListener(flag: string | undefined): boolean {
  return LISTENERS.some(([name]) => name === flag)
}

function otherPort(address: string): string {
  return address.replace(/\d+$/, (digits) => {
    const port = Number(digits) + PORT_STEP
    return String(port > MAX_PORT ? port - MAX_PORT : port)
  })
}

/** A word of a command line for a POSIX shell. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
