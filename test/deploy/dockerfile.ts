/** One instruction of a Dockerfile, continuation lines joined. */
export interface Step {
  /** The keyword in capitals: `RUN`. */
  readonly keyword: string
  /** `--from` of a COPY and the like; a flag without a value has an empty one. */
  readonly flags: Readonly<Record<string, string>>
  /** Everything behind keyword and flags. */
  readonly text: string
  /** The command in exec form; undefined where there is none, or one in shell form. */
  readonly exec: readonly string[] | undefined
  /** Counted from 0; -1 above the first FROM. */
  readonly stage: number
}

const LINE = /^(?<keyword>[A-Za-z]+)\s+(?<flags>(?:--\S+\s+)*)(?<text>.*)$/s

/** Reads a Dockerfile as far as ours goes: no heredocs, no escape directive. */
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

/** Of CMD, ENTRYPOINT and RUN, and of the CMD within a HEALTHCHECK. */
function execForm(text: string): readonly string[] | undefined {
  const list = text.replace(/^CMD\s+/, '').trim()
  return list.startsWith('[') ? (JSON.parse(list) as string[]) : undefined
}

/** The last stage: what becomes the image. */
export function finalStage(steps: readonly Step[]): readonly Step[] {
  const last = Math.max(...steps.map(({ stage }) => stage))
  return steps.filter(({ stage }) => stage === last)
}

/** The last instruction of the image with this keyword: the one that counts. */
export function effective(steps: readonly Step[], keyword: string): Step | undefined {
  return finalStage(steps).findLast((step) => step.keyword === keyword)
}
