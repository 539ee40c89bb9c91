/**
 * Counts the requests that the exporter sends to emulated systems, and prints the table of docs/operations.md. Takes some
 * minutes.
 *
 *   npm run request:load
 */
import { markdownTable } from './markdown/markdown.ts'
import { HEAD, requestRows, SYSTEMS } from './request_load/table.ts'

process.stdout.write(markdownTable(HEAD, await requestRows(SYSTEMS)))
