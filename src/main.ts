#!/usr/bin/env node
/** The oldest Node.js that the program and its packages run on. */
const OLDEST_MAJOR = 24

const major = Number(process.versions.node.split('.')[0])
if (major < OLDEST_MAJOR) {
  process.stderr.write(
    `sds-exporter: needs Node.js ${OLDEST_MAJOR} or later, this is ${process.versions.node}\n`,
  )
  process.exitCode = 1
} else {
  // A reload that is asked for while the program still loads is no reason to die: it reads the file in a moment anyway.
  if (process.argv[2] === 'serve') process.on('SIGHUP', () => undefined)
  // Only now: an older Node.js would fail in the middle of loading a package.
  const { runProgram } = await import('./commands/program.ts')
  process.exitCode = await runProgram(process.argv.slice(2))
}
