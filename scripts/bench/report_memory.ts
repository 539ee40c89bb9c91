import { writeSync } from 'node:fs'

/** Loaded before a program: at its end, writes its largest resident memory in KiB and its CPU time to file 3. */
const REPORT_FILE = 3
process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
  writeSync(
    REPORT_FILE,
    JSON.stringify({ maxRssKib: maxRSS, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6 }),
  )
})
