import { createHash } from 'node:crypto'
import { STYLE } from '../metrics/page_style.ts'
import { UNKNOWN_OUTCOME_CODE } from './errors.ts'
import { SCRIPT } from './page_script.ts'

const script = `const UNKNOWN_OUTCOME = ${UNKNOWN_OUTCOME_CODE}\n${SCRIPT}`

/** The page for people: one document, with everything in it. It asks the listener that it comes from, nobody else. */
export const PAGE = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Authentication providers – sds-exporter</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<p class="quiet">sds-exporter, administration</p>
<h1>Authentication providers</h1>
<noscript><p class="said">This page needs JavaScript. Without it, use curl or
<code>sds-exporter providers</code>.</p></noscript>
<div id="said" class="said" role="alert" tabindex="-1" hidden></div>

<section id="sign-in" class="card" aria-labelledby="sign-in-heading">
<h2 id="sign-in-heading">Sign in at a storage system</h2>
<p class="quiet">With your own account: the system decides what you may see and delete. Nothing is stored; after a
reload you sign in again.</p>
<form id="sign-in-form" class="fields" autocomplete="off">
<label>System<select id="system" required></select></label>
<fieldset>
<legend>How</legend>
<label><input type="radio" name="way" id="by-token" checked>With a token</label>
<label><input type="radio" name="way" id="by-password">With name and password</label>
</fieldset>
<div id="token-field"><label>Token (X-SDS-AUTH-TOKEN)
<input type="password" id="token" autocomplete="off" spellcheck="false"></label></div>
<div id="password-fields" class="fields" hidden>
<label>Name<input id="username" autocomplete="off" autocapitalize="none" spellcheck="false"></label>
<label>Password<input type="password" id="password" autocomplete="off"></label>
</div>
<button id="sign-in-button" class="main">Sign in</button>
</form>
</section>

<section id="providers" class="card" aria-labelledby="heading" hidden>
<div class="row">
<div><h2 id="heading" tabindex="-1">Providers</h2><span id="whose" class="quiet"></span></div>
<div class="row"><button id="reload" type="button">Reload</button><button id="sign-out" type="button">Sign
out</button></div>
</div>
<p id="count" role="status" class="quiet"></p>
<ul id="list"></ul>
</section>

<dialog id="dialog" aria-labelledby="dialog-heading" aria-describedby="consequence">
<form id="delete-form" autocomplete="off">
<h2 id="dialog-heading">Delete this provider?</h2>
<p class="name" id="which"></p>
<p class="id" id="which-id"></p>
<p id="consequence">Whoever signs in to <strong id="which-system"></strong> through this provider loses access at
once. This cannot be undone.</p>
<label><span id="word-label"></span>
<input id="word" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="mistyped"></label>
<p id="mistyped" class="error" role="alert"></p>
<div class="row">
<button id="cancel" type="button">Cancel</button>
<button id="delete-button" class="danger main">Delete provider</button>
</div>
</form>
</dialog>
</main>
<script>${script}</script>
</body>
</html>
`

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

/** Exactly this script and this style, requests to this listener alone, and no frame around it. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `script-src ${hashOf(script)}`,
  `style-src ${hashOf(STYLE)}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')
