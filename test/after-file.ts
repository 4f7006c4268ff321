// What every test file leaves behind is undone here: the files that one worker runs share their modules, so that the
// languages are loaded once for all of them and not once for each. And what it took is noted where that is asked for:
// `MILLRACE_TEST_CPU=FILE npx vitest run` adds a line for each file, the seconds of CPU of its process and of the
// programs that it started and saw end, and the megabytes that its process holds after it.

import { appendFileSync, readFileSync } from 'node:fs'
import { afterAll, expect, vi } from 'vitest'

const noted = process.env.MILLRACE_TEST_CPU
const before = noted === undefined ? undefined : cpuSeconds()

afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  if (noted === undefined || before === undefined) return
  const [own, children] = cpuSeconds().map((seconds, i) => (seconds - before[i]).toFixed(1))
  const held = Math.round(process.memoryUsage.rss() / 1e6)
  appendFileSync(noted, `${own}\t${children}\t${held}\t${expect.getState().testPath}\n`)
})

/** Of this process, and of its children that have ended: fields 14 to 17 of its line, in hundredths. */
function cpuSeconds(): [own: number, children: number] {
  const line = readFileSync('/proc/self/stat', 'utf8')
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  const [user, system, childUser, childSystem] = fields.slice(11, 15).map(Number)
  return [(user + system) / 100, (childUser + childSystem) / 100]
}
