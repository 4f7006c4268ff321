#!/usr/bin/env node
// The command line: hands the arguments to a command and ends with its exit code. Everything else
// is in `cli/`. The flags of V8 that differ from its default are set here, before anything else is
// loaded: none is changed while the program runs.

import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import type * as command from './cli/command.js'
import { loadProgram } from './platform/compiled-program.js'

// What a server needs of Node itself comes with what V8 compiled of it, and V8 takes that only while its flags are as
// they were when Node was built: after the first one that is set below, it would all be compiled from its text (25 ms).
for (const name of [
  ...['assert', 'cluster', 'dns', 'dns/promises', 'fs/promises', 'http', 'https', 'os'],
  ...['perf_hooks', 'timers/promises', 'worker_threads', 'zlib'],
]) {
  process.getBuiltinModule(`node:${name}`)
}

// The heap may grow by seven tenths of what the last full collection left. V8 counts the memory behind small objects as
// if it were heap, sees few objects made for it, and allows a tenth more: it would collect 20 MB that are all in use,
// over and over. With more than this, what queries have left behind stays for longer: 40 MB more at their peak with
// one and a half. A load of two million rows is collected once or twice with either.
setFlagsFromString('--heap-growing-percent=70')

// A function is optimised after a third of the work that V8 waits for by itself. A query runs through hundreds of
// functions once each, so that by default a dashboard's thousandth question still runs half interpreted: the 460th to
// the 960th point query after a start take 1.1 ms each with this instead of 1.65. With a seventh of the work they take
// 0.8, but loads 20 % more, since what is optimised on so little has to be done again; with a third they take the same.
// V8 counts bytes of code that ran until its version 12 (Node 22), and calls since then.
const countsCalls = Number.parseInt(process.versions.v8, 10) >= 12
setFlagsFromString(
  countsCalls ? '--invocation-count-for-turbofan=1000' : '--interrupt-budget=20000',
)

// The larger a function is, the longer it waits for that: three times as long for its size as V8 has it. Compiling
// costs by size, and was a second of the CPU of a start with a load of two million rows of one field, as much as the
// rows themselves on the serving thread: 1.87 s per million in all, 1.70 with this. The 460th to the 960th question
// take 3 % more on the serving thread. With six times as long loads gain no more and questions take 10 % more.
if (!countsCalls) setFlagsFromString('--bytecode-size-allowance-per-tick=50')

// The collector can be called: large writes do so between their pieces (`platform/garbage.ts`).
setFlagsFromString('--expose-gc')

// While the build lets the program serve to keep what that compiles (`scripts/compile-program.mjs`), V8 makes no
// baseline code. It notes of a function that it had some, and whoever starts with what was kept would make it anew at
// the first call of each: that was 10 of the 25 ms of CPU that the first query took.
const keep = process.env.MILLRACE_KEEP_COMPILED
if (keep) setFlagsFromString('--no-sparkplug')

// After the flags, since what was compiled fits only the flags that it was compiled with.
const program = loadProgram<typeof command>(
  fileURLToPath(new URL('./program.cjs', import.meta.url)),
)

// Not at its end: from the first thread on V8 counts other flags than at the start, and what is kept then fits no
// start. The last time it is kept for those who do not build, whose flags are as above.
if (keep === 'first' || keep === 'last') {
  process.once('SIGTERM', () => {
    if (keep === 'last') setFlagsFromString('--sparkplug')
    program.keepCompiled()
  })
}

process.exitCode = await program.exports.runCommand(process.argv.slice(2))
