import { afterAll, beforeAll, expect, test } from 'vitest'
import { renderMarkdown } from '../../src/server/runbooks/runbooks.ts'
import { get } from '../support/http.ts'
import { pageListener, statusSources } from './status/status_setup.ts'

const listener = pageListener(statusSources([]), {
  address: '[::1]:0',
  origin: { listenHosts: [], allowedHosts: [] },
})
beforeAll(() => listener.start())
afterAll(() => listener.stop())

test('the page of the runbooks has an anchor for each alert, each time', async () => {
  const first = await get(`${listener.url}/runbooks`)
  expect(first.status).toBe(200)
  expect(first.text).toContain('<title>Alerts and what to do – sds-exporter</title>')
  expect(first.text).toContain('<a id="SdsNodeBad"></a>')
  expect(first.headers['content-security-policy']).toContain("default-src 'none'")
  expect((await get(`${listener.url}/runbooks`)).text).toBe(first.text)
})

test('a listener on the loopback address of IPv6 has the name localhost', async () => {
  const { port } = new URL(listener.url)
  const statusOf = async (host: string) => (await get(`${listener.url}/runbooks`, { host })).status
  expect(await statusOf(`localhost:${port}`)).toBe(200)
  expect(await statusOf(`[::1]:${port}`)).toBe(200)
  expect(await statusOf(`127.0.0.1:${port}`)).toBe(421)
})

test.each([
  ['a comment at the beginning', '<!-- generated -->\n\ntext', '<p>text</p>\n'],
  [
    'headings',
    '# One\n\n## Two `x`, three\n\n### Four',
    '<h1>One</h1>\n<h2 id="two-x-three">Two <code>x</code>, three</h2>\n<a id="four"></a><a id="Four"></a>\n<h3>Four</h3>\n',
  ],
  ['an anchor', '<a id="Alert"></a>', '<a id="alert"></a><a id="Alert"></a>\n'],
  [
    'code',
    'a\n\n```promql\nup == 0\n  and on () x\n```\n\nb',
    '<p>a</p>\n<pre tabindex="0"><code>up == 0\n  and on () x\n</code></pre>\n<p>b</p>\n',
  ],
  ['lines of one paragraph', 'a\nb\n\n\nc', '<p>a b</p>\n<p>c</p>\n'],
  ['bold text and markup', '**a** < `b & c`', '<p><strong>a</strong> &lt; <code>b &amp; c</code></p>\n'],
  [
    'links',
    '[here](#x), [other `file`](other.md#y), [runbook](runbooks/disks.md#sdsdisk), [twin](disks.md#SdsTwin)',
    '<p><a href="#x">here</a>, other <code>file</code>, <a href="#sdsdisk">runbook</a>, <a href="#SdsTwin">twin</a></p>\n',
  ],
  [
    'a table',
    '| A | B |\n| --- | --- |\n| `1` | a\\|b |\n| 2 | |',
    '<div class="wide" tabindex="0"><table><thead><tr><th scope="col">A</th><th scope="col">B</th></tr></thead>\n<tbody><tr><td><code>1</code></td><td>a|b</td></tr>\n<tr><td>2</td><td></td></tr>\n</tbody></table></div>\n',
  ],
])('Markdown with %s', (_, markdown, expected) => {
  expect(renderMarkdown(markdown).text).toBe(expected)
})
