import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'

/** For quick tests: starting a program is an error. */
const refuse = () => {
  throw new Error('a quick test must not start a program; name its file *.integration.test.ts')
}
Object.assign(childProcess, {
  exec: refuse,
  execFile: refuse,
  execFileSync: refuse,
  execSync: refuse,
  fork: refuse,
  spawn: refuse,
  spawnSync: refuse,
})
syncBuiltinESMExports()
