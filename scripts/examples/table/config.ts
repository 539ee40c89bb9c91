export const FRANKFURT_PORT = 4443
export const PARIS_PORT = 4444

/** The configuration of most examples. */
export const CONFIG = `systems:
  - name: frankfurt
    base_url: http://127.0.0.1:${FRANKFURT_PORT}
    auth: {username: monitor, password_file: password}
    labels: {site: fra, tier: gold}
  - name: paris
    base_url: http://127.0.0.1:${PARIS_PORT}
    auth: {username: monitor, password_file: password}
    labels: {site: par}
`
