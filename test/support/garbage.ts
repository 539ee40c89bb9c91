import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** One full collection. */
export const collectGarbage: () => void = runInNewContext('gc')
