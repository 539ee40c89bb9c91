import type { Status } from '../../../status/model.ts'
import { queryOf } from '../../../status/selection.ts'
import { type Problem, problemState } from '../../../status/states.ts'
import { counted } from '../../../text.ts'
import { type Html, html } from '../../page/html.ts'
import { RUNBOOKS_PATH } from '../../paths.ts'
import { relativeTime, statePill } from './elements.ts'

/** Systems and pools with problems that are shown at first, and in all. */
const FIRST_BLOCKS = 5
const BLOCKS = 100

/**
 * One block for each system and pool with problems, the worst first.
 * @param own the query of the page, to which no block links
 */
export function problemList({ problems, timestamp_seconds: now }: Status, own: string): Html {
  if (problems.length === 0) return html``
  const places = Map.groupBy(problems, ({ system, pool_id }) => JSON.stringify([system, pool_id]))
  const blocks = [...places].map(([place, ofPlace], index) =>
    problemBlock(place, ofPlace, { isOpen: index === 0, own, now }),
  )
  const more = blocks.length - BLOCKS
  const rest =
    blocks.length <= FIRST_BLOCKS
      ? undefined
      : html`<details class="rest" data-key="rest"><summary>Show all (${blocks.length})</summary>${blocks.slice(FIRST_BLOCKS, BLOCKS)}${more > 0 ? html`<p class="quiet">and ${counted(more, 'more block')}</p>` : undefined}</details>`
  return html`<section class="card problems ${problemState(problems)}" aria-labelledby="problems-heading" data-key="problems"><h2 id="problems-heading">Needs attention</h2>${blocks.slice(0, FIRST_BLOCKS)}${rest}</section>
`
}

interface BlockOptions {
  readonly isOpen: boolean
  readonly own: string
  readonly now: number
}

/** The problems of one system or pool; the cause is before its consequences. */
function problemBlock(place: string, problems: readonly Problem[], { isOpen, own, now }: BlockOptions): Html {
  const [{ system = '', pool = null, pool_id = null, text = '', summary = '' } = {}] = problems
  const isTold = problems.length === 1 && text.startsWith(summary)
  const name = pool_id === null ? system : `${system} / ${pool ?? pool_id}`
  const query = queryOf({ system, pool: pool_id ?? '' })
  const link = query === own ? undefined : html`<p><a href="/${query}">Show ${name}</a></p>`
  return html`<details class="problem" data-key="problem ${place}"${isOpen ? html` open` : undefined}><summary>${statePill(problemState(problems))} <span class="place">${name}</span> <span class="words">${unbroken(isTold ? text : problems.map((one) => one.summary).join(', '))}</span></summary>
<ul>${problems.map((problem) => problemItem(problem, isTold, now))}</ul>${link}</details>
`
}

function problemItem(
  { severity, text, remedy, alert, timestamp_seconds }: Problem,
  isTold: boolean,
  now: number,
): Html {
  // The head of the block has the text already.
  const words = isTold ? undefined : html`<p>${unbroken(text)}</p>`
  const when =
    timestamp_seconds === null
      ? undefined
      : html` <span class="quiet">${relativeTime(timestamp_seconds, now)}</span>`
  const runbook =
    alert === null ? undefined : html` <a href="${RUNBOOKS_PATH}#${alert}">Runbook of ${alert}</a>`
  const advice = remedy === null ? undefined : html`What to do: ${remedy}.`
  return html`<li class="${severity}">${words}<p class="quiet">${advice}${runbook}${when}</p></li>
`
}

/** Names with hyphens are not broken at these. */
const unbroken = (text: string): Html[] =>
  text
    .split(' ')
    .map((word) => (word.includes('-') ? html`<span class="whole">${word}</span> ` : html`${word} `))
