import { type Command, Option } from 'commander'

/** A flag: its description, or also what else it has. */
type Row = string | FullRow
interface FullRow {
  readonly about: string
  /** Parses the value; `before` is that of the flag before, or the default. @throws {InvalidArgumentError} */
  readonly parse?: (text: string, before: never) => unknown
  readonly choices?: readonly string[]
  /** The default. */
  readonly otherwise?: unknown
  /** The default as --help shows it. */
  readonly shown?: string
  readonly required?: true
}

/** Flags as commander writes them, such as `--out <dir>`, in the order of --help. */
export type FlagTable = Readonly<Record<`--${string}`, Row>>

type CamelCase<Text extends string> = Text extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Text
type NameOf<Key> = Key extends `--${infer Long} <${string}>`
  ? CamelCase<Long>
  : Key extends `--${infer Long}`
    ? CamelCase<Long>
    : never
type ValueOf<Key, Flag> = Flag extends { parse: (...parameters: never[]) => infer Value }
  ? Value
  : Flag extends { choices: readonly (infer Choice)[] }
    ? Choice
    : Key extends `${string} <${string}>`
      ? string
      : true
type AlwaysSet = { readonly otherwise: unknown } | { readonly required: true }

/** The values of the flags of a table, as commander passes them to an action. */
export type FlagsOf<Table> = {
  readonly [Key in keyof Table as Table[Key] extends AlwaysSet ? NameOf<Key> : never]: ValueOf<
    Key,
    Table[Key]
  >
} & {
  readonly [Key in keyof Table as Table[Key] extends AlwaysSet ? never : NameOf<Key>]?: ValueOf<
    Key,
    Table[Key]
  >
}

export function addFlags(command: Command, table: FlagTable): Command {
  for (const [flags, row] of Object.entries(table)) {
    const full: FullRow = typeof row === 'string' ? { about: row } : row
    const option = new Option(flags, full.about).makeOptionMandatory(full.required ?? false)
    if (full.choices !== undefined) option.choices(full.choices)
    if (full.parse !== undefined) option.argParser(full.parse as (text: string, before: unknown) => unknown)
    command.addOption(full.otherwise === undefined ? option : option.default(full.otherwise, full.shown))
  }
  return command
}
