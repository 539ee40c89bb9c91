import { readText } from '../../repository/repository.ts'

/** A path with its query, without `limit` and `marker`, and the body of a POST request. */
export type Bodies = Readonly<Record<string, unknown>>

/**
 * The answers of a small system in test/fixtures/resources, typed by hand from published answers and documents: real
 * systems have strings and lists of one snapshot; documents have numbers, single snapshots, and the root of the XML form.
 */
export const bodiesOf = (form: 'classic' | 'documented'): Bodies =>
  JSON.parse(readText(`test/fixtures/resources/${form}.json`))
