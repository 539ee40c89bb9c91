import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  coveredByFocusRings,
  launchChromium,
  lookFindings,
  type Visit,
  visit,
} from '../../support/programs/chromium.ts'
import { waitForAssertion } from '../../support/wait.ts'
import {
  type Admin,
  MONITOR,
  providerIds,
  SECURITY,
  type StartedEmulator,
  startAdmin,
  startEmulator,
} from './admin_setup.ts'
import { startSystemStub } from './system_stub.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

interface Scene extends AsyncDisposable {
  readonly emulator: StartedEmulator
  readonly admin: Admin
  readonly visited: Visit
  readonly page: Page
}

/** A storage system, the provider administration and its page in a browser. */
async function openPage(): Promise<Scene> {
  const emulator = await startEmulator()
  const admin = await startAdmin({ systems: { frankfurt: emulator.url } })
  const visited = await visitAdmin(admin.url)
  return {
    emulator,
    admin,
    visited,
    page: visited.page,
    async [Symbol.asyncDispose]() {
      await visited[Symbol.asyncDispose]()
      await admin[Symbol.asyncDispose]()
      await emulator.stop()
    },
  }
}

/** Opens the page, and waits for the list of systems, which the page requests. Without it, no sign-in is possible. */
async function visitAdmin(url: string): Promise<Visit> {
  const visited = await visit(browser, `${url}/`)
  await visited.page.locator('#system option').first().waitFor({ state: 'attached' })
  return visited
}

async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('With a token').check()
  await page.getByLabel('Token (X-SDS-AUTH-TOKEN)').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

async function logIn(page: Page): Promise<void> {
  await page.getByLabel('With name and password').check()
  await page.getByLabel('Name', { exact: true }).fill('security')
  await page.getByLabel('Password', { exact: true }).fill('emulator')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Signed in as security').waitFor()
}

/** The text of the message box of the page. */
async function said(page: Page): Promise<string> {
  const box = page.locator('#message')
  await box.waitFor()
  return box.innerText()
}

function names(page: Page): Promise<string[]> {
  return page.locator('#list .name').allInnerTexts()
}

async function askToDelete(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Delete ${name}…` }).click()
  await page.getByRole('dialog', { name: 'Delete this provider?' }).waitFor()
}

async function confirmWith(page: Page, word: string): Promise<void> {
  await page.getByLabel('Type the name of the provider to confirm').fill(word)
  await page.getByRole('button', { name: 'Delete provider' }).click()
}

test('a list that arrives after the sign-out is not shown', async () => {
  await using scene = await openPage()
  const { page } = scene
  await signIn(page, SECURITY)
  await page.getByRole('heading', { name: 'Providers of frankfurt' }).waitFor()
  const [requested, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route('**/authnproviders*', async (route) => {
    requested.resolve()
    await released.promise
    await route.continue()
  })
  const response = page.waitForResponse('**/authnproviders*')
  await page.getByRole('button', { name: 'Refresh list' }).click()
  await requested.promise
  await page.getByRole('button', { name: 'Sign out' }).click()
  released.resolve()
  await (await response).finished()
  // The page has handled the response when it has handled a later one.
  await page.evaluate('fetch("/systems").then((response) => response.text())')
  expect(await names(page)).toEqual([])
  expect(await page.getByRole('button', { name: 'Sign in' }).isVisible()).toBe(true)
})

describe('the page', () => {
  test('shows the providers of a system, keeps the token only in memory, and asks only its own listener', async () => {
    await using scene = await openPage()
    const { page, visited } = scene
    expect(await coveredByFocusRings(page)).toEqual([])
    // Password managers fill name and password.
    for (const [field, name, autocomplete] of [
      ['#username', 'username', 'username'],
      ['#password', 'password', 'current-password'],
      ['#token', null, 'off'],
    ] as const) {
      if (name !== null) expect(await page.locator(field).getAttribute('name')).toBe(name)
      expect(await page.locator(field).getAttribute('autocomplete')).toBe(autocomplete)
    }
    await signIn(page, MONITOR)
    await page.getByRole('heading', { name: 'Providers of frankfurt' }).waitFor()
    expect(await names(page)).toEqual([
      'corporate-ldap',
      'multi-domain forest',
      'Forschung & Entwicklung <Köln>',
      'keystone "lab"',
    ])
    expect(await page.locator('#count').innerText()).toBe('4 providers')
    await page.getByText('Signed in as monitor, roles: SYSTEM_MONITOR', { exact: true }).waitFor()
    expect(await coveredByFocusRings(page)).toEqual([])
    expect(await page.locator('#token').inputValue()).toBe('')
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0)
    expect(await page.context().cookies()).toEqual([])
    expect(page.url()).not.toContain(MONITOR)
    expect([...new Set(visited.requests.map((url) => new URL(url).origin))]).toEqual([scene.admin.url])
    expect(visited.problems).toEqual([])
    const ran = await page.evaluate(`(() => {
      const script = document.createElement('script')
      try { script.textContent = 'window.ran = true' } catch { return 'refused' }
      document.body.append(script)
      return String(window.ran)
    })()`)
    expect(['undefined', 'refused']).toContain(ran)
    await page.reload()
    expect(await page.locator('#providers').isVisible()).toBe(false)
    expect(await page.locator('#token').inputValue()).toBe('')
  })

  test('shows invisible characters of names and ids, and asks for the id as shown', async () => {
    const id = 'urn:a\u2066:'
    await using stub = await startSystemStub({ id, name: '\u202epadl\u009b\u200b' })
    await using admin = await startAdmin({ systems: { frankfurt: stub.url } })
    await using visited = await visitAdmin(admin.url)
    const { page } = visited
    await signIn(page, SECURITY)
    await page.getByRole('heading', { name: 'Providers of frankfurt' }).waitFor()
    expect(await names(page)).toEqual(['\\u202epadl\\u009b\\u200b'])
    expect(await page.locator('#account').innerText()).toBe('Signed in with a token')
    expect(await page.locator('#list .id').innerText()).toBe('urn:a\\u2066:')
    await askToDelete(page, '\\u202epadl\\u009b\\u200b')
    expect(await page.locator('#deletion-name').innerText()).toBe('\\u202epadl\\u009b\\u200b')
    await page.getByLabel('Type the id of the provider to confirm').fill('urn:a\\u2066:')
    await page.getByRole('button', { name: 'Delete provider' }).click()
    expect(await said(page)).toBe('\\u202epadl\\u009b\\u200b was deleted from frankfurt.')
    expect(visited.problems).toEqual([])
  })

  test('deletes a provider only after its name is typed, and refreshes the list', async () => {
    await using scene = await openPage()
    const { page, emulator } = scene
    const [first, second] = await providerIds(emulator)
    await signIn(page, SECURITY)
    await askToDelete(page, 'multi-domain forest')
    expect(await coveredByFocusRings(page)).toEqual([])
    const button = page.getByRole('button', { name: 'Delete provider' })
    for (const word of ['', 'multi-domain', 'multi-domain forest 2']) {
      await page.getByLabel('Type the name of the provider to confirm').fill(word)
      expect([word, await button.isDisabled()]).toEqual([word, true])
      await page.keyboard.press('Enter')
    }
    expect(await page.getByRole('dialog').isVisible()).toBe(true)
    expect(emulator.log.count('delete')).toBe(0)
    await confirmWith(page, 'multi-domain forest')
    expect(await said(page)).toBe('multi-domain forest was deleted from frankfurt.')
    await waitForAssertion(async () => expect(await page.locator('#count').innerText()).toBe('3 providers'))
    expect(await providerIds(emulator)).not.toContain(second)
    expect(emulator.log.count('delete')).toBe(1)
    await scene.admin.ask('DELETE', `/vdc/admin/authnproviders/${first}`, SECURITY)
    await page.getByRole('button', { name: 'Refresh list' }).click()
    await waitForAssertion(async () => expect(await names(page)).toHaveLength(2))
    expect(scene.visited.problems).toEqual([])
  })

  test('shows the error of the system if the account may not delete', async () => {
    await using scene = await openPage()
    await signIn(scene.page, MONITOR)
    await askToDelete(scene.page, 'corporate-ldap')
    await confirmWith(scene.page, 'corporate-ldap')
    const words = await said(scene.page)
    expect(words).toContain('This operation is forbidden')
    expect(words).toContain('Your account may not do this.')
    expect(words).toContain('HTTP 403, code 3000: ')
    expect(words).toContain('It needs SECURITY_ADMIN')
    expect(await names(scene.page)).toContain('corporate-ldap')
    expect(await scene.page.evaluate('document.activeElement.id')).toBe('message')
  })

  test('asks for a new token after the old one has expired', async () => {
    await using scene = await openPage()
    await signIn(scene.page, SECURITY)
    await askToDelete(scene.page, 'corporate-ldap')
    scene.emulator.setFaults(['expire-tokens'])
    await confirmWith(scene.page, 'corporate-ldap')
    expect(await said(scene.page)).toContain('does not accept this token any more')
    expect(await scene.page.getByRole('dialog').isVisible()).toBe(false)
    expect(await scene.page.getByLabel('Token (X-SDS-AUTH-TOKEN)').isVisible()).toBe(true)
    expect(await names(scene.page)).toEqual([])
    expect(await scene.page.evaluate('document.activeElement.id')).toBe('token')
  })

  test('does not take the answers of a proxy for those of the exporter', async () => {
    await using scene = await openPage()
    const { page } = scene
    await signIn(page, SECURITY)
    await page.getByText('4 providers').waitFor()
    const login = { status: 200, contentType: 'text/html', body: '<!doctype html><title>Log in</title>' }
    for (const answer of [login, { status: 200, json: {} }]) {
      await page.route('**/authnproviders.json', (route) => route.fulfill(answer))
      await page.getByRole('button', { name: 'Refresh list' }).click()
      await waitForAssertion(async () =>
        expect(await said(page)).toContain('The answer is not from the exporter.'),
      )
      await page.unroute('**/authnproviders.json')
      await page.getByRole('button', { name: 'Refresh list' }).click()
      await page.locator('#message').waitFor({ state: 'hidden' })
    }
    await askToDelete(page, 'corporate-ldap')
    await page.route('**/authnproviders/**', (route) => route.fulfill(login))
    await confirmWith(page, 'corporate-ldap')
    await waitForAssertion(async () => expect(await said(page)).toContain('it was not deleted, or not yet'))
    expect(scene.visited.problems).toEqual([])
  })

  test('reads the list again if the response to a deletion was lost', async () => {
    await using scene = await openPage()
    await signIn(scene.page, SECURITY)
    await askToDelete(scene.page, 'corporate-ldap')
    scene.emulator.setFaults(['reset@delete'])
    await confirmWith(scene.page, 'corporate-ldap')
    await waitForAssertion(async () =>
      expect(await said(scene.page)).toContain('no longer in the list: it was deleted'),
    )
    expect(await said(scene.page)).toContain('code 599')
    expect(await names(scene.page)).not.toContain('corporate-ldap')
    expect(scene.emulator.log.count('delete')).toBe(1)
  })

  test('signs in with name and password; signing out or leaving the page ends the session', async () => {
    await using scene = await openPage()
    const { page, emulator } = scene
    const ended = () => waitForAssertion(() => expect(emulator.liveSessions('security')).toBe(0))
    await logIn(page)
    await page.getByText('Signed in as security, roles: SECURITY_ADMIN', { exact: true }).waitFor()
    expect(await names(page)).toHaveLength(4)
    expect(emulator.liveSessions('security')).toBe(1)
    expect(await page.locator('#password').inputValue()).toBe('')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await ended()
    expect(await names(page)).toEqual([])
    await logIn(page)
    emulator.setFaults(['expire-tokens'])
    await page.getByRole('button', { name: 'Refresh list' }).click()
    expect(await said(page)).toContain('Sign in again.')
    expect(await page.evaluate('document.activeElement.id')).toBe('username')
    emulator.setFaults([])
    await logIn(page)
    await page.goto('about:blank')
    await ended()
  })

  test('shows a refused login and a refused token', async () => {
    await using scene = await openPage()
    await signIn(scene.page, 'no-such-token')
    const refused = 'The storage system refused this token. It may have expired: enter a new one.'
    expect((await said(scene.page)).split('\n')).toContain(refused)
    expect(await scene.page.locator('#message .details').innerText()).toContain('HTTP 302 to the login')
    await scene.page.getByLabel('With name and password').check()
    await scene.page.getByLabel('Name', { exact: true }).fill('security')
    await scene.page.getByLabel('Password', { exact: true }).fill('wrong')
    await scene.page.getByRole('button', { name: 'Sign in' }).click()
    await waitForAssertion(async () =>
      expect((await said(scene.page)).split('\n')[0]).toBe(
        'The storage system refused this name and password.',
      ),
    )
    expect(await scene.page.locator('#message .details').innerText()).toContain('HTTP 401, code 401: ')
    expect(await scene.page.locator('#providers').isVisible()).toBe(false)
  })

  test('can be used with the keyboard only', async () => {
    await using scene = await openPage()
    const { keyboard } = scene.page
    await scene.page.getByLabel('With a token').focus()
    await keyboard.press('Space')
    await scene.page.getByLabel('Token (X-SDS-AUTH-TOKEN)').focus()
    await keyboard.type(SECURITY)
    await keyboard.press('Enter')
    await scene.page.getByRole('heading', { name: 'Providers of frankfurt' }).waitFor()
    await waitForAssertion(async () =>
      expect(await scene.page.evaluate('document.activeElement.id')).toBe('providers-heading'),
    )
    for (const _ of ['Refresh list', 'Sign out', 'Delete the first']) await keyboard.press('Tab')
    await keyboard.press('Enter')
    await scene.page.getByRole('dialog').waitFor()
    await keyboard.press('Escape')
    await scene.page.getByRole('dialog').waitFor({ state: 'hidden' })
    const label = 'document.activeElement.getAttribute("aria-label")'
    await waitForAssertion(async () =>
      expect(await scene.page.evaluate(label)).toBe('Delete corporate-ldap…'),
    )
    await keyboard.press('Enter')
    await keyboard.type('corporate-ldap')
    await keyboard.press('Enter')
    expect(await said(scene.page)).toContain('corporate-ldap was deleted')
  })

  test('looks well in every state', async () => {
    await using scene = await openPage()
    const { page } = scene
    const findings: Record<string, readonly string[]> = {}
    const look = async (state: string) => {
      findings[state] = await lookFindings(page)
    }
    await look('sign in with a password')
    await page.getByLabel('With a token').check()
    await look('sign in with a token')
    await signIn(page, 'no-such-token')
    await said(page)
    await look('refused')
    await signIn(page, SECURITY)
    await page.getByRole('heading', { name: 'Providers of frankfurt' }).waitFor()
    await look('list')
    await askToDelete(page, 'Forschung & Entwicklung <Köln>')
    await look('dialog')
    await confirmWith(page, 'Forschung & Entwicklung <Köln>')
    await said(page)
    await look('deleted')
    scene.emulator.setFaults(['reset@providers'])
    await page.getByRole('button', { name: 'Refresh list' }).click()
    await said(page)
    await look('list that cannot be read')
    expect(Object.entries(findings).filter(([, found]) => found.length > 0)).toEqual([])
  })
})
