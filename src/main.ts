#!/usr/bin/env node
/** The oldest supported version of Node.js. */
const OLDEST_MAJOR = 24

// The default action of SIGUSR1 in Node.js would open the inspector, which can read the memory of the process.
process.on('SIGUSR1', () => undefined)

const major = Number(process.versions.node.split('.')[0])
if (major < OLDEST_MAJOR) {
  process.stderr.write(
    `sds-exporter: needs Node.js ${OLDEST_MAJOR} or later, this is ${process.versions.node}\n`,
  )
  process.exitCode = 1
} else {
  // The default action of SIGHUP would end the process during startup, before serve installs its handler.
  if (process.argv[2] === 'serve') process.on('SIGHUP', () => undefined)
  const args = process.argv.slice(2)
  // Dynamic imports, because an older Node.js would fail while loading the packages.
  const { runFrequent } = await import('./commands/frequent.ts')
  process.exitCode = await runFrequent(args)
  if (process.exitCode === undefined) await runWithParser(args)
}

async function runWithParser(args: readonly string[]): Promise<void> {
  const { exitCodeAfterOutput, runProgram } = await import('./commands/program.ts')
  const code = await runProgram(args)
  const { endProcess } = await import('./commands/cli/lifetime.ts')
  // Output to a pipe may not be written yet.
  process.stdout.write('', () => endProcess(exitCodeAfterOutput(code)))
}
