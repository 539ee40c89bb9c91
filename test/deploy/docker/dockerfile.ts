/** One instruction of a Dockerfile, with continuation lines joined. */
export interface Step {
  /** In upper case: `RUN`. */
  readonly keyword: string
  /** Values by flag, such as `--from`; empty for a flag without value. */
  readonly flags: Readonly<Record<string, string>>
  /** The text after keyword and flags. */
  readonly text: string
  /** The words of a command in exec form; undefined for shell form and other instructions. */
  readonly exec: readonly string[] | undefined
  /** Index of the build stage; -1 before the first FROM. */
  readonly stage: number
}

const LINE = /^(?<keyword>[A-Za-z]+)\s+(?<flags>(?:--\S+\s+)*)(?<text>.*)$/s

/** Parses a Dockerfile without heredocs and escape directive. */
export function parseDockerfile(source: string): readonly Step[] {
  const lines = source
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
  let stage = -1
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const { keyword = '', flags = '', text = '' } = LINE.exec(line)?.groups ?? {}
      if (keyword.toUpperCase() === 'FROM') stage += 1
      return {
        keyword: keyword.toUpperCase(),
        flags: readFlags(flags),
        text: text.trim(),
        exec: execForm(text),
        stage,
      }
    })
}

function readFlags(text: string): Record<string, string> {
  const words = text.split(/\s+/).filter((word) => word !== '')
  return Object.fromEntries(
    words.map((word) => {
      const [name = '', ...value] = word.split('=')
      return [name, value.join('=')]
    }),
  )
}

/** For CMD, ENTRYPOINT, RUN, and the CMD of HEALTHCHECK. */
function execForm(text: string): readonly string[] | undefined {
  const list = text.replace(/^CMD\s+/, '').trim()
  return list.startsWith('[') ? (JSON.parse(list) as string[]) : undefined
}

/** The instructions of the last stage, which is the image. */
export function finalStage(steps: readonly Step[]): readonly Step[] {
  const last = Math.max(...steps.map(({ stage }) => stage))
  return steps.filter(({ stage }) => stage === last)
}

/** The last instruction of the image with this keyword; it overrides earlier ones. */
export function effective(steps: readonly Step[], keyword: string): Step | undefined {
  return finalStage(steps).findLast((step) => step.keyword === keyword)
}
