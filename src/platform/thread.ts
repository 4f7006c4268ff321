// What every worker thread of the built program runs first: it loads the text whose name it is given, with what V8 has
// compiled of it before (`compiled-program.ts`). A thread would compile for as long as a small job takes otherwise.

import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { loadProgram } from './compiled-program.js'

const keepEveryMs = 200

const program = loadProgram(join(__dirname, `${process.argv[2]}.cjs`))

// While the build lets the program serve (`scripts/compile-program.mjs`), as in `main.ts`. A thread may end at any
// time, and the next one of its kind adds to what is kept.
const keep = process.env.MILLRACE_KEEP_COMPILED
if (keep === 'first' || keep === 'threads') {
  const keepCompiled = () => {
    if (keep === 'threads') setFlagsFromString('--sparkplug')
    program.keepCompiled()
  }
  setInterval(keepCompiled, keepEveryMs).unref()
}
