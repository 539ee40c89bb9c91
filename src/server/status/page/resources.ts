import type { ResourceStatus, SystemStatus } from '../../../status/model.ts'
import { type Html, html } from '../../page/html.ts'
import { fact, relativeTime } from './elements.ts'

/** What the system says about itself beyond its pools: one line for each resource that is read. */
export function resourceFact({ resources }: SystemStatus, now: number): Html {
  const read = resources.filter(({ state }) => state !== 'off')
  const off = resources.filter(({ state }) => state === 'off').map(({ name }) => name)
  return fact(
    'Resources',
    read.map((resource, index) => html`${index === 0 ? '' : '; '}${resourceText(resource, now)}`),
    off.length === 0 ? undefined : html` <span class="quiet">(off: ${off.join(', ')})</span>`,
  )
}

function resourceText(resource: ResourceStatus, now: number): Html {
  const { name, state, summary, last_success_timestamp_seconds: at, error } = resource
  const age = at === null ? undefined : html` <span class="quiet">${relativeTime(at, now)}</span>`
  // Failures are problems of the system, which are shown with their remedies.
  const reason =
    error === null || state === 'failing'
      ? undefined
      : html` <span class="quiet">(${error.message}. What to do: ${error.remedy})</span>`
  return html`<code>${name}</code> <span class="${state === 'failing' ? 'bad' : ''}">${summary}</span>${age}${reason}`
}
