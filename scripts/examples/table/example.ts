/** A worked example: commands and their output, in the block of a page. */
export interface Example {
  readonly name: string
  /** The page with its block, from the root of the repository. */
  readonly page: string
  /** Files in the folder of the commands, beside those of {@link ./stage.ts}. */
  readonly files?: Readonly<Record<string, string>>
  /** Variables of the environment. */
  readonly environment?: Readonly<Record<string, string>>
  /** Ports that this example listens on, instead of those that all examples share. */
  readonly ownPorts?: readonly number[]
  readonly steps: readonly Step[]
}

export type Step = Command | Service | Later

interface Shown {
  /** The lines of the output that are shown; "…" stands for others. Default: all. */
  readonly keep?: RegExp
  /** Changes the output before it is shown, such as the indentation of JSON. */
  readonly edit?: (output: string) => string
  /** Needed for the example, but not part of it. */
  readonly hide?: true
}

/** A command that runs to its end. */
export interface Command extends Shown {
  /** In the language of bash, as it is shown. */
  readonly run: string
  /** What is run instead, for what the page cannot show, such as a key that is pressed. */
  readonly actually?: string
  /** The expected exit code; 0 by default. */
  readonly exit?: number
}

/** A command that keeps running until the end of the example. */
export interface Service extends Shown {
  readonly start: string
  /** Further flags, such as addresses with free ports, which are not shown. */
  readonly hidden?: string
  /** The output is shown up to this text. */
  readonly until: RegExp
}

/** What the last {@link Service} has printed since, up to a text. */
export interface Later extends Shown {
  readonly later: RegExp
}
