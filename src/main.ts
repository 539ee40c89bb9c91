#!/usr/bin/env node
import { fstatSync, writeFileSync } from 'node:fs'

/** The oldest supported version of Node.js. */
const OLDEST_MAJOR = 24

// The default action of SIGUSR1 in Node.js would open the inspector, which can read the memory of the process.
process.on('SIGUSR1', () => undefined)

const major = Number(process.versions.node.split('.')[0])
if (major < OLDEST_MAJOR) {
  process.stderr.write(
    `sds-exporter: needs Node.js ${OLDEST_MAJOR} or later, this is ${process.versions.node}\n`,
  )
  // EX_CONFIG of sysexits.h: the systemd unit does not restart the service, which needs another Node.js.
  process.exitCode = 78
} else {
  // The default action of SIGHUP would end the process during startup, before serve installs its handler.
  if (process.argv[2] === 'serve') process.on('SIGHUP', () => undefined)
  watchOutput()
  // Dynamic imports, because an older Node.js would fail while loading the packages.
  const { exitCodeAfterOutput, runProgram } = await import('./commands/program.ts')
  const code = await runProgram(process.argv.slice(2))
  const { endProcess } = await import('./commands/cli/lifetime.ts')
  // Output to a pipe may not be written yet.
  process.stdout.write('', () => endProcess(exitCodeAfterOutput(code)))
}

/** Failed writes are reported at the end: a closed pipe (`sds-exporter … | head`) is no failure. */
function watchOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  const { fd } = process.stdout
  // Node.js ignores how much of its output a file takes: on a full disk, a part would be lost without an error.
  if (fstatSync(fd).isFile())
    process.stdout._write = (chunk, _encoding, done) => {
      try {
        writeFileSync(fd, chunk)
        done()
      } catch (failure) {
        done(failure as Error)
      }
    }
}
