import type { Period } from '../../api/history/series.ts'

/** The files of a run. */
export type Written =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'folder'; readonly path: string }

const MINUTE = 60
const MAX_BLOCK_HOURS = 744
/** promtool evaluates a rule for a whole block in one query. Prometheus refuses more than 11,000 steps, here of a minute. */
const RULE_BLOCK_HOURS = 162

/**
 * The commands that import the files into Prometheus. By default promtool makes a block of every two hours and reads
 * the whole file for each of them, so longer blocks are much faster.
 */
export function importCommands(written: Written, { start, end, interval }: Period): string {
  const blocks = `promtool tsdb create-blocks-from --max-block-duration=${written.kind === 'file' ? `${MAX_BLOCK_HOURS}h` : '6h'}`
  const create =
    written.kind === 'file'
      ? `${blocks} openmetrics ${quoted(written.path)} blocks`
      : `for file in ${quoted(written.path)}/*.om; do ${blocks} openmetrics "$file" blocks; done`
  const step = Math.max(interval, MINUTE)
  return `# Import into Prometheus. Replace DATA by its --storage.tsdb.path and URL by its URL. Its retention
# (--storage.tsdb.retention.time) must be longer than the history, or it removes the blocks.
mkdir -p blocks rule-blocks
${create}
mv blocks/* DATA/
# Prometheus reads new blocks within a minute. After that, the past of the recording rules:
promtool tsdb create-blocks-from --max-block-duration=${RULE_BLOCK_HOURS}h rules --url=URL --start=${start} --end=${end} --eval-interval=${step}s --output-dir=rule-blocks sds-recording.yml
mv rule-blocks/* DATA/
`
}

/** A path for a shell. */
function quoted(path: string): string {
  return /^[\w./:@%+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
