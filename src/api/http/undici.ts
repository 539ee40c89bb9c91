import { createRequire } from 'node:module'
import type * as undici from 'undici'

/**
 * The parts of undici that the client uses. Its main module also loads fetch, WebSocket, caches and mocks, which would
 * take 3 MiB of memory and 60 ms of CPU time at start. The paths are not documented; npm-shrinkwrap.json and the lockfile fix
 * the version, and every test of the client fails if a path changes.
 */
const require = createRequire(import.meta.url)

export const Agent: typeof undici.Agent = require('undici/lib/dispatcher/agent.js')
export const buildConnector: typeof undici.buildConnector = require('undici/lib/core/connect.js')
export const errors: typeof undici.errors = require('undici/lib/core/errors.js')

// The main module adds the methods of its API to the dispatchers; the client needs only this one.
const { prototype }: typeof undici.Dispatcher = require('undici/lib/dispatcher/dispatcher.js')
prototype.request = require('undici/lib/api/api-request.js')
