export interface LandingPage {
  readonly version: string
  readonly systems: () => readonly string[]
}

const HTML_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text as HTML shows it, in elements and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => HTML_ESCAPES[character] ?? '')
}

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
  body { max-width: 40rem; margin: 2rem auto; padding: 0 1rem }
  li { margin: .25rem 0 }`

/** What a person sees who opens the exporter's address: what it is and where to go. */
export function renderLandingPage({ version, systems }: LandingPage): string {
  const names = systems().map((name) => `<li>${escapeHtml(name)}</li>`)
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>sds-exporter</title>
<style>${STYLE}
</style>
</head>
<body>
<h1>sds-exporter</h1>
<p>Prometheus exporter for storage systems that speak the SDS management API. Version ${escapeHtml(version)}.</p>
<ul>
<li><a href="/metrics">Metrics</a>, for Prometheus</li>
<li><a href="/-/healthy">Healthy</a>: whether the exporter runs</li>
<li><a href="/-/ready">Ready</a>: whether every system was tried once</li>
</ul>
<h2>Systems</h2>
<ul>
${names.join('\n')}
</ul>
</body>
</html>
`
}
