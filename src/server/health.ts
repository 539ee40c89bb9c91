import type { Context } from 'koa'
import { HttpError } from '../values/http_error.ts'

const NOT_READY = new HttpError(503, 'Not every system has been polled yet.')

/** The handlers of the paths that every listener has. */
export function healthHandlers(ready: () => boolean) {
  return {
    '/-/healthy': (context: Context): void => {
      context.body = 'sds-exporter is healthy.\n'
    },
    '/-/ready': (context: Context): void => {
      if (!ready()) throw NOT_READY
      context.body = 'sds-exporter is ready.\n'
    },
  }
}
