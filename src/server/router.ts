import { createRequire } from 'node:module'
import type { Router as RouterType } from '@koa/router'

const require = createRequire(import.meta.url)

/** Without `import`, for which the package has other files: they import `node:http` (`src/values/node_http.ts`). */
export const Router = require('@koa/router') as typeof RouterType
export type Router = RouterType
