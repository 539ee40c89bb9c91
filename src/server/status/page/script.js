// @ts-check
/**
 * The script of the status page: fetches the page again and changes only what is different, so that nothing flickers,
 * and focus, scroll position and opened pools stay. document.ts inlines it.
 */

const SECOND_MS = 1000
const TIMEOUT_MS = 20_000

/**
 * @template {HTMLElement} E
 * @param {string} id
 * @param {new () => E} type
 */
function byId(id, type) {
  const element = document.getElementById(id)
  if (element instanceof type) return element
  throw new Error(`the page has no ${type.name} with the id ${id}`)
}

const offline = byId('offline', HTMLElement)
const button = byId('refresh-button', HTMLButtonElement)
const state = { isPaused: false, timer: 0 }

/** Parsed by the browser as a document that runs no scripts. @returns {Promise<Document>} */
function fetchPage() {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('GET', location.href)
    request.responseType = 'document'
    request.timeout = TIMEOUT_MS
    const fail = () =>
      reject(
        new Error(request.status === 0 ? 'it does not respond' : `it responds with HTTP ${request.status}`),
      )
    request.onerror = fail
    request.ontimeout = fail
    request.onload = () => {
      const page = request.responseXML
      if (page?.body.classList.contains('status')) resolve(page)
      else fail()
    }
    request.send()
  })
}

/**
 * Makes an element like another one. Elements that are the same thing stay.
 * @param {Element} element
 * @param {Element} next
 */
function morph(element, next) {
  changeAttributes(element, next)
  const keyed = new Map(keyedChildren(element))
  let place = element.firstChild
  for (const wanted of [...next.childNodes]) {
    const same = counterpart(wanted, place, keyed)
    if (same === null) {
      element.insertBefore(document.importNode(wanted, true), place)
      continue
    }
    if (same === place) place = place.nextSibling
    else element.insertBefore(same, place)
    change(same, wanted)
  }
  while (place !== null) {
    const rest = place.nextSibling
    place.remove()
    place = rest
  }
}

/** @param {Element} element @returns {[string, Element][]} */
function keyedChildren(element) {
  return [...element.children].flatMap((child) => {
    const key = keyOf(child)
    return key === '' ? [] : [[key, child]]
  })
}

/** @param {Node} node */
function keyOf(node) {
  return node instanceof Element ? (node.getAttribute('data-key') ?? '') : ''
}

/**
 * The child that shows the same as the wanted node.
 * @param {Node} wanted
 * @param {ChildNode | null} place where it would be without a key
 * @param {Map<string, Element>} keyed
 * @returns {ChildNode | null}
 */
function counterpart(wanted, place, keyed) {
  const key = keyOf(wanted)
  if (key !== '') {
    const same = keyed.get(key)
    keyed.delete(key)
    return same?.nodeName === wanted.nodeName ? same : null
  }
  return place !== null && keyOf(place) === '' && place.nodeName === wanted.nodeName ? place : null
}

/**
 * @param {Node} node
 * @param {Node} wanted
 */
function change(node, wanted) {
  if (node instanceof Element && wanted instanceof Element) morph(node, wanted)
  else if (node.nodeValue !== wanted.nodeValue) node.nodeValue = wanted.nodeValue
}

/** What the user changes: opened pools. The text of the search is no attribute. */
const OF_USER = ['open']

/**
 * @param {Element} element
 * @param {Element} next
 */
function changeAttributes(element, next) {
  for (const { name } of [...element.attributes])
    if (!next.hasAttribute(name) && !OF_USER.includes(name)) element.removeAttribute(name)
  for (const { name, value } of next.attributes)
    if (element.getAttribute(name) !== value && !OF_USER.includes(name)) element.setAttribute(name, value)
}

async function refresh() {
  clearTimeout(state.timer)
  try {
    const page = await fetchPage()
    const content = page.getElementById('content')
    if (content !== null) morph(byId('content', HTMLElement), content)
    document.title = page.title
    document.body.dataset['refreshSeconds'] = page.body.dataset['refreshSeconds'] ?? ''
    offline.hidden = true
  } catch (failure) {
    const reason = failure instanceof Error ? failure.message : ''
    const shownAt = document.querySelector('#updated time')?.textContent
    offline.textContent = `The exporter cannot be reached (${reason}). This page shows its state at ${shownAt}.`
    offline.hidden = false
  }
  schedule()
}

/** A page in the background is not refreshed. */
function schedule() {
  clearTimeout(state.timer)
  if (state.isPaused || document.hidden) return
  const seconds = Number(document.body.dataset['refreshSeconds']) || 5
  state.timer = setTimeout(refresh, seconds * SECOND_MS)
}

function togglePause() {
  state.isPaused = !state.isPaused
  button.setAttribute('aria-pressed', String(!state.isPaused))
  button.textContent = state.isPaused ? 'Paused' : 'Refreshing'
  if (state.isPaused) clearTimeout(state.timer)
  else refresh()
}

button.addEventListener('click', togglePause)
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && !state.isPaused) refresh()
})
byId('refresh', HTMLElement).hidden = false
schedule()
