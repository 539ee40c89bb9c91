/**
 * Prints what `kubectl kustomize FOLDER` prints, also with a kubectl that is too old for the files.
 *
 *   node kustomized.ts FOLDER
 */
import { stringify } from 'yaml'
import { kustomize } from '../../test/deploy/kubernetes/kustomize.ts'

const [folder = ''] = process.argv.slice(2)
const objects = await kustomize(folder)
process.stdout.write(objects.map((object) => stringify(object)).join('---\n'))
