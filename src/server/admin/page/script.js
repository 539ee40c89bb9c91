// @ts-check
/**
 * The script of the administration page. document.ts inlines it and puts its hash into the Content-Security-Policy.
 * It sets text and never parses a string as HTML. The token exists only in `session`.
 */

/** @typedef {{ id: string, name: string }} Provider */

/**
 * A request that failed: sentences for people, and the details of the response in the words of its sender. `status` is
 * undefined without a response, `code` without an error body.
 */
class RequestFailure extends Error {
  /**
   * @param {string[]} lines
   * @param {{ details?: string, status?: number, code?: number }} [response]
   */
  constructor(lines, { details = '', status, code } = {}) {
    super(lines.join(' '))
    this.lines = lines
    this.details = details
    this.status = status
    this.code = code
  }
}

/** The user has signed out since the request, whose response is of no use any more. */
class SignedOut extends Error {}

/** `openedHere`: this page opened the session by a login, so signing out must end it. `ended`: sessions before. */
const session = { token: '', system: '', openedHere: false, ended: 0 }

/** The deletion that the dialog asks for, and what must be typed: nothing else is deleted. */
const pending = { id: '', name: '', value: '' }

/** Invisible characters, as in text.ts. */
const INVISIBLE = new RegExp(`[${document.body.dataset['invisible']}]`, 'gu')

/** The exporter's error code for a deletion whose result is unknown. */
const UNKNOWN_OUTCOME = Number(document.body.dataset['unknownOutcomeCode'])

/**
 * @template {HTMLElement} E
 * @param {string} id
 * @param {new () => E} type
 */
function byId(id, type) {
  const element = document.getElementById(id)
  if (element instanceof type) return element
  throw new Error(`page.html has no ${type.name} with the id ${id}`)
}

const page = {
  message: byId('message', HTMLElement),
  signIn: byId('sign-in', HTMLElement),
  signInButton: byId('sign-in-button', HTMLButtonElement),
  system: byId('system', HTMLSelectElement),
  byPassword: byId('by-password', HTMLInputElement),
  tokenField: byId('token-field', HTMLElement),
  token: byId('token', HTMLInputElement),
  passwordFields: byId('password-fields', HTMLElement),
  username: byId('username', HTMLInputElement),
  password: byId('password', HTMLInputElement),
  providers: byId('providers', HTMLElement),
  heading: byId('providers-heading', HTMLElement),
  account: byId('account', HTMLElement),
  count: byId('count', HTMLElement),
  list: byId('list', HTMLElement),
  refresh: byId('refresh', HTMLButtonElement),
  deletion: byId('deletion', HTMLDialogElement),
  deletionName: byId('deletion-name', HTMLElement),
  deletionId: byId('deletion-id', HTMLElement),
  deletionSystem: byId('deletion-system', HTMLElement),
  deleteButton: byId('delete-button', HTMLButtonElement),
  confirmationLabel: byId('confirmation-label', HTMLElement),
  confirmation: byId('confirmation', HTMLInputElement),
}

/**
 * The text with each invisible character as `\uXXXX`.
 * @param {string} text
 */
function visibleText(text) {
  return text.replace(INVISIBLE, (character) =>
    character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
}

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {string} text
 * @param {Partial<HTMLElementTagNameMap[T]>} [properties]
 */
function createElement(tag, text, properties) {
  return Object.assign(document.createElement(tag), { textContent: visibleText(text) }, properties)
}

/**
 * @param {readonly string[]} lines none: the message is removed
 * @param {{ isSuccess?: boolean, details?: string }} [options] the details are shown below the lines
 */
function showMessage(lines, { isSuccess = false, details = '' } = {}) {
  const paragraphs = lines.map((line) => createElement('p', line.replace(/\s+/g, ' ')))
  if (details !== '') {
    paragraphs.push(createElement('p', details.replace(/\s+/g, ' '), { className: 'details quiet' }))
  }
  page.message.replaceChildren(...paragraphs)
  page.message.className = isSuccess ? 'message good' : 'message'
  page.message.hidden = paragraphs.length === 0
}

function systemPath() {
  return `/systems/${encodeURIComponent(session.system)}`
}

/** @returns {Record<string, string>} */
function tokenHeaders() {
  return session.token === '' ? {} : { 'X-SDS-AUTH-TOKEN': session.token }
}

/**
 * The response body as text. Rejects with a RequestFailure.
 * @param {string} method
 * @param {string} path
 * @param {{ body?: string, headers?: Record<string, string> }} [options]
 */
async function send(method, path, { headers, ...options } = {}) {
  const request = { method, headers: { ...tokenHeaders(), ...headers }, ...options }
  const { ended } = session
  const response = await fetch(path, { cache: 'no-store', ...request }).catch(() => undefined)
  const text = await response?.text().catch(() => undefined)
  if (session.ended !== ended) throw new SignedOut()
  if (response === undefined || text === undefined)
    throw new RequestFailure(['The exporter does not respond. Check that it is running and reachable.'])
  if (response.ok) return text
  throw failureOf(response.status, text)
}

/**
 * The document in the response, which has this member. Rejects with a RequestFailure.
 * @param {string} member
 * @param {Parameters<typeof send>} request
 */
async function read(member, ...request) {
  const document = parsed(await send(...request))
  if (document?.[member] === undefined) throw foreignAnswer()
  return document
}

/**
 * The JSON document, or undefined.
 * @param {string} text
 */
function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** For example, a proxy answers and asks for a login. */
function foreignAnswer() {
  return new RequestFailure([
    'The answer is not from the exporter. If a proxy asks for a login, reload this page.',
  ])
}

/**
 * @param {number} status
 * @param {string} text
 */
function failureOf(status, text) {
  const body = parsed(text)
  const parts = body === undefined ? [text.slice(0, 300)] : [body?.description, body?.details]
  const words = parts.map(sentence).filter((line) => line !== '')
  const place = body === undefined ? `HTTP ${status}` : `HTTP ${status}, code ${body?.code}`
  const advice = ADVICE[status] ?? (body === undefined ? 'The request was refused.' : undefined)
  const response = { status, code: body?.code }
  return advice === undefined
    ? new RequestFailure(words, { ...response, details: place })
    : new RequestFailure([advice], { ...response, details: `${place}: ${words.join(' ')}` })
}

/**
 * What an error means for the user. Other errors have the words of their sender only.
 * @type {Record<number, string>}
 */
const ADVICE = {
  401: 'The storage system refused this token. It may have expired: enter a new one.',
  403: 'Your account may not do this.',
  429: 'Too many attempts. Wait a moment before the next one.',
}

/** @param {unknown} text */
function sentence(text) {
  const words = String(text ?? '').trim()
  if (words === '') return ''
  return /[.!?]$/.test(words) ? words : `${words}.`
}

/**
 * Runs the task with the button disabled, so that a second click has no effect.
 * @param {HTMLButtonElement} button
 * @param {() => Promise<unknown>} task
 */
async function withDisabled(button, task) {
  if (button.disabled) return
  button.disabled = true
  try {
    await task()
  } finally {
    button.disabled = false
  }
}

/** Discards the token. Ends the session at the system if this page opened it. */
function signOut() {
  if (session.openedHere && session.token !== '') {
    const request = { method: 'POST', headers: tokenHeaders(), keepalive: true }
    fetch(`${systemPath()}/logout`, request).catch(() => undefined)
  }
  session.token = ''
  session.openedHere = false
  session.ended += 1
  page.list.replaceChildren()
  page.signIn.hidden = false
  page.providers.hidden = true
}

/** @param {unknown} failure */
function showFailure(failure) {
  if (failure instanceof SignedOut) return
  if (!(failure instanceof RequestFailure)) throw failure
  if (failure.status !== 401 || session.token === '') {
    showMessage(failure.lines, failure)
    return
  }
  // The system ended the session: a logout would be refused too.
  session.openedHere = false
  signOut()
  page.deletion.close()
  showMessage(['The storage system does not accept this token any more. Sign in again.'], failure)
  firstInput().focus()
}

/** The first field of the selected method. */
function firstInput() {
  return page.byPassword.checked ? page.username : page.token
}

async function login() {
  const body = JSON.stringify({ username: page.username.value, password: page.password.value })
  const headers = { 'Content-Type': 'application/json' }
  session.token = ''
  const { token } = await read('token', 'POST', `${systemPath()}/login`, { headers, body })
  session.token = token
  session.openedHere = true
}

async function signIn() {
  showMessage([])
  session.system = page.system.value
  const withPassword = page.byPassword.checked
  try {
    if (withPassword) await login()
    else Object.assign(session, { token: page.token.value.trim(), openedHere: false })
    await loadProviders()
  } catch (failure) {
    if (!(failure instanceof RequestFailure)) throw failure
    signOut()
    const isRefused = failure.status === 401 && withPassword
    showMessage(isRefused ? ['The storage system refused this name and password.'] : failure.lines, failure)
    firstInput().focus()
    return
  } finally {
    page.password.value = ''
  }
  page.token.value = ''
  page.heading.focus()
  showAccount(withPassword ? `Signed in as ${page.username.value}` : 'Signed in with a token')
}

/** @param {string} otherwise the text if the system does not report the user of the token */
async function showAccount(otherwise) {
  page.account.textContent = otherwise
  try {
    const { user, roles } = await read('user', 'GET', `${systemPath()}/account`)
    const as = user === null ? otherwise : `Signed in as ${user}`
    page.account.textContent = visibleText(
      roles === null ? as : `${as}, roles: ${roles.join(', ') || 'none'}`,
    )
  } catch (failure) {
    if (!(failure instanceof RequestFailure || failure instanceof SignedOut)) throw failure
  }
}

/** @returns {Promise<Provider[]>} */
async function loadProviders() {
  const path = `${systemPath()}/vdc/admin/authnproviders.json`
  /** @type {{ authnprovider: Provider[] }} */
  const { authnprovider: providers } = await read('authnprovider', 'GET', path)
  page.heading.textContent = `Providers of ${session.system}`
  page.list.replaceChildren(...providers.map((provider) => listItem(provider, providers)))
  const count = providers.length === 1 ? '1 provider' : `${providers.length} providers`
  page.count.textContent = providers.length === 0 ? 'This system has no authentication providers.' : count
  page.signIn.hidden = true
  page.providers.hidden = false
  return providers
}

/**
 * @param {Provider} provider
 * @param {readonly Provider[]} all
 */
function listItem(provider, all) {
  const text = createElement('div', '')
  const name = createElement('div', provider.name || '(without a name)', { className: 'name' })
  text.append(name, createElement('div', provider.id, { className: 'id' }))
  const button = createElement('button', 'Delete…', { type: 'button', className: 'danger' })
  button.setAttribute('aria-label', `Delete ${visibleText(provider.name || provider.id)}…`)
  button.addEventListener('click', () => openDeletion(provider, all))
  const item = createElement('li', '')
  item.append(text, button)
  return item
}

/**
 * Asks for the name, or the id if the name is not unique or contains characters that cannot be typed. Invisible characters
 * of the id are typed as they are shown.
 * @param {Provider} provider
 * @param {readonly Provider[]} all
 */
function openDeletion({ id, name }, all) {
  const isUnique = all.filter((other) => normalized(other.name) === normalized(name)).length === 1
  const isTypeable = name.trim() !== '' && !/\p{C}/u.test(name) && visibleText(name) === name
  const [field, value] = isUnique && isTypeable ? ['name', name] : ['id', visibleText(id)]
  Object.assign(pending, { id, name: name || id, value })
  page.deletionName.textContent = visibleText(name || '(without a name)')
  page.deletionId.textContent = visibleText(id)
  page.deletionSystem.textContent = session.system
  page.confirmationLabel.textContent = `Type the ${field} of the provider to confirm`
  page.confirmation.value = ''
  armDeletion()
  page.deletion.showModal()
  page.confirmation.focus()
}

/** The button can be used only while the text is that of the provider. */
function armDeletion() {
  page.deleteButton.disabled = normalized(page.confirmation.value) !== normalized(pending.value)
}

/** @param {string} text */
function normalized(text) {
  return text.normalize('NFC').replace(/\s+/gu, ' ').trim()
}

async function confirmDeletion() {
  const { id, name } = pending
  try {
    const path = `${systemPath()}/vdc/admin/authnproviders/${encodeURIComponent(id)}.json`
    if ((await send('DELETE', path)) !== '') throw foreignAnswer()
  } catch (failure) {
    page.deletion.close()
    showFailure(failure)
    if (failure instanceof RequestFailure) await reloadAfterFailure(id, failure)
    if (session.token !== '') page.message.focus()
    return
  }
  page.deletion.close()
  showMessage([`${name} was deleted from ${session.system}.`], { isSuccess: true })
  page.message.focus()
  await loadProviders().catch(showFailure)
}

/**
 * Reads the list if the provider was already deleted elsewhere, or the result is unknown: the list tells it.
 * @param {string} id
 * @param {RequestFailure} failure
 */
async function reloadAfterFailure(id, failure) {
  const isUnknown = failure.status === undefined || failure.code === UNKNOWN_OUTCOME
  if (!isUnknown && failure.status !== 404) return
  const list = await loadProviders().catch(() => undefined)
  if (!isUnknown) return
  const listed = list?.some((provider) => provider.id === id)
    ? 'The provider is still in the list: it was not deleted, or not yet.'
    : 'The provider is no longer in the list: it was deleted.'
  const outcome = list === undefined ? 'The list cannot be read now. Refresh it later.' : listed
  showMessage([...failure.lines, outcome], failure)
}

async function loadSystems() {
  /** @type {{ systems: string[] }} */
  const { systems } = await read('systems', 'GET', '/systems')
  page.system.replaceChildren(...systems.map((name) => createElement('option', name, { value: name })))
}

function showMethod() {
  const withPassword = page.byPassword.checked
  page.passwordFields.hidden = !withPassword
  page.tokenField.hidden = withPassword
  page.token.required = !withPassword
  page.username.required = withPassword
  page.password.required = withPassword
}

/**
 * @param {string} id
 * @param {string} type
 * @param {() => unknown} listener
 */
function on(id, type, listener) {
  byId(id, HTMLElement).addEventListener(type, (event) => {
    event.preventDefault()
    listener()
  })
}

on('sign-in-form', 'submit', () => withDisabled(page.signInButton, signIn))
on('deletion-form', 'submit', () => withDisabled(page.deleteButton, confirmDeletion))
on('cancel', 'click', () => page.deletion.close())
on('refresh', 'click', () => {
  showMessage([])
  withDisabled(page.refresh, () => loadProviders().catch(showFailure))
})
on('sign-out', 'click', () => {
  signOut()
  showMessage(['You are signed out.'], { isSuccess: true })
  page.message.focus()
})
page.confirmation.addEventListener('input', armDeletion)
byId('by-token', HTMLInputElement).addEventListener('change', showMethod)
page.byPassword.addEventListener('change', showMethod)
// A page restored from the back/forward cache must not have a token either.
window.addEventListener('pagehide', signOut)
showMethod()
loadSystems().catch(showFailure)
