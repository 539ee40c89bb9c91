import type { Context } from 'koa'

export function sendText(context: Context, status: number, text: string): undefined {
  context.status = status
  context.type = 'text/plain; charset=utf-8'
  context.body = `${text}\n`
}
