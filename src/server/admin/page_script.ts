/**
 * What the page does. Plain JavaScript for browsers, kept as text because it is sent with its own hash; it makes
 * elements and sets their text, and never parses a string as HTML. The token lives in one variable and nowhere else.
 */
export const SCRIPT = `
'use strict'
const by = (id) => document.getElementById(id)
/** isOurs: this page opened the session of the token. chosen: what the dialog is about. */
const state = { token: '', system: '', isOurs: false, chosen: undefined }

function make(name, text, properties) {
  const element = Object.assign(document.createElement(name), properties)
  element.textContent = text
  return element
}

function say(words, isGood) {
  const box = by('said')
  const parts = words.filter(Boolean).map((line) => make('p', line))
  box.replaceChildren(...parts)
  box.className = isGood ? 'said good' : 'said'
  box.hidden = parts.length === 0
}

function base() {
  return '/systems/' + encodeURIComponent(state.system)
}

async function ask(method, path, options) {
  const { headers = {}, ...rest } = options || {}
  const own = state.token === '' ? {} : { 'X-SDS-AUTH-TOKEN': state.token }
  let response
  try {
    response = await fetch(path, { method, headers: { ...own, ...headers }, cache: 'no-store', ...rest })
  } catch {
    throw { lines: ['The exporter itself does not answer. Is it still running, and can you reach it?'], lost: true }
  }
  const text = await response.text()
  if (response.ok) return text
  throw refusal(response.status, text)
}

function refusal(status, text) {
  let body
  try {
    body = JSON.parse(text)
  } catch {
    return { status, lines: ['Refused (HTTP ' + status + '): ' + text.slice(0, 300)] }
  }
  const first = body.description + ' (HTTP ' + status + ', code ' + body.code + ')'
  return { status, code: body.code, lines: [first, body.details] }
}

/** One action at a time; its button shows that it runs. */
async function during(button, task) {
  if (button.disabled) return
  button.disabled = true
  try {
    await task()
  } finally {
    button.disabled = false
  }
}

function show(isSignedIn) {
  by('sign-in').hidden = isSignedIn
  by('providers').hidden = !isSignedIn
}

/** Forgets the token; at the system too, where this page asked for it. */
function forget() {
  if (state.isOurs && state.token !== '') {
    const headers = { 'X-SDS-AUTH-TOKEN': state.token }
    fetch(base() + '/logout', { method: 'POST', headers, keepalive: true }).catch(() => undefined)
  }
  state.token = ''
  state.isOurs = false
  by('list').replaceChildren()
  show(false)
}

function failed(failure) {
  if (!failure.lines) throw failure
  if (failure.status === 401 && state.token !== '') {
    state.isOurs = false
    forget()
    by('dialog').close()
    say(['The system does not accept this token any more. Sign in again.', ...failure.lines])
    by('token').focus()
    return
  }
  say(failure.lines)
}

async function signIn() {
  say([])
  state.system = by('system').value
  const withPassword = by('by-password').checked
  try {
    if (withPassword) {
      const body = JSON.stringify({ username: by('username').value, password: by('password').value })
      const headers = { 'Content-Type': 'application/json' }
      state.token = ''
      state.token = JSON.parse(await ask('POST', base() + '/login', { headers, body })).token
      state.isOurs = true
    } else {
      state.token = by('token').value.trim()
      state.isOurs = false
    }
    await list()
  } catch (failure) {
    if (!failure.lines) throw failure
    forget()
    say(failure.lines)
    by(withPassword ? 'username' : 'token').focus()
    return
  } finally {
    by('password').value = ''
  }
  by('token').value = ''
  by('whose').textContent = withPassword ? 'Signed in as ' + by('username').value : 'Signed in with a token'
  by('heading').focus()
}

async function list() {
  const { authnprovider } = JSON.parse(await ask('GET', base() + '/vdc/admin/authnproviders.json'))
  by('heading').textContent = 'Providers of ' + state.system
  by('list').replaceChildren(...authnprovider.map((provider) => entry(provider, authnprovider)))
  const count = authnprovider.length
  by('count').textContent = count === 0 ? 'This system has no authentication providers.'
    : count === 1 ? '1 provider' : count + ' providers'
  show(true)
  return authnprovider
}

function entry(provider, all) {
  const item = make('li', '')
  const text = make('div', '')
  text.append(make('div', provider.name || '(without a name)', { className: 'name' }))
  text.append(make('div', provider.id, { className: 'id' }))
  const button = make('button', 'Delete…', { type: 'button', className: 'danger' })
  button.setAttribute('aria-label', 'Delete ' + (provider.name || provider.id) + '…')
  button.addEventListener('click', () => confirmDeletion(provider, all))
  item.append(text, button)
  return item
}

/** What has to be typed: the name, or the id where the name is not unique or cannot be typed. */
function wordFor({ name, id }, all) {
  const isUnique = all.filter((other) => plain(other.name) === plain(name)).length === 1
  return isUnique && name.trim() !== '' && !/\\p{C}/u.test(name) ? { what: 'name', word: name } : { what: 'id', word: id }
}

function confirmDeletion(provider, all) {
  const { what, word } = wordFor(provider, all)
  state.chosen = { provider, word, what }
  by('which').textContent = provider.name || '(without a name)'
  by('which-id').textContent = provider.id
  by('which-system').textContent = state.system
  by('word-label').textContent = 'Type the ' + what + ' of the provider to confirm'
  by('word').value = ''
  mistyped('')
  by('dialog').showModal()
  by('word').focus()
}

function mistyped(words) {
  by('mistyped').textContent = words
  by('word').setAttribute('aria-invalid', String(words !== ''))
}

const plain = (text) => text.normalize('NFC').replace(/\\s+/gu, ' ').trim()

async function remove() {
  const { provider, word, what } = state.chosen
  if (plain(by('word').value) !== plain(word)) {
    mistyped('This is not the ' + what + ' of the provider. Nothing was deleted.')
    by('word').focus()
    return
  }
  const label = provider.name || provider.id
  try {
    await ask('DELETE', base() + '/vdc/admin/authnproviders/' + encodeURIComponent(provider.id) + '.json')
  } catch (failure) {
    by('dialog').close()
    failed(failure)
    if (failure.lost || failure.code === UNKNOWN_OUTCOME) await lookAgain(provider, failure)
    // Somebody else was faster: the list that is shown is old.
    else if (failure.status === 404) await list().catch(() => undefined)
    if (state.token !== '') by('said').focus()
    return
  }
  by('dialog').close()
  say([label + ' was deleted from ' + state.system + '.'], true)
  by('said').focus()
  await list().catch(failed)
}

/** The answer was lost: the list knows. */
async function lookAgain(provider, failure) {
  try {
    const isThere = (await list()).some(({ id }) => id === provider.id)
    const found = isThere
      ? 'It is still in the list: it was not deleted, or not yet.'
      : 'It is not in the list any more: it was deleted.'
    say([...failure.lines, found])
  } catch {
    say([...failure.lines, 'The list cannot be read now: reload it later.'])
  }
}

async function start() {
  try {
    const { systems } = JSON.parse(await ask('GET', '/systems'))
    by('system').replaceChildren(...systems.map((name) => make('option', name, { value: name })))
  } catch (failure) {
    failed(failure)
  }
}

function chooseWay() {
  const withPassword = by('by-password').checked
  by('password-fields').hidden = !withPassword
  by('token-field').hidden = withPassword
  by('token').required = !withPassword
  by('username').required = withPassword
  by('password').required = withPassword
}

function on(id, event, task) {
  by(id).addEventListener(event, (happened) => {
    happened.preventDefault()
    task()
  })
}

on('sign-in-form', 'submit', () => during(by('sign-in-button'), signIn))
on('delete-form', 'submit', () => during(by('delete-button'), remove))
on('cancel', 'click', () => by('dialog').close())
on('reload', 'click', () => during(by('reload'), () => { say([]); return list().catch(failed) }))
on('sign-out', 'click', () => { forget(); say(['You are signed out.'], true); by('said').focus() })
by('word').addEventListener('input', () => mistyped(''))
by('by-token').addEventListener('change', chooseWay)
by('by-password').addEventListener('change', chooseWay)
// A page that comes back from the browser's memory has no token either.
window.addEventListener('pagehide', () => forget())
chooseWay()
start()
`
