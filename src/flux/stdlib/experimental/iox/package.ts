// The package `experimental/iox`: tables of another storage engine, which is not here, and durations in the
// words of its SQL.

import { FluxError } from '../../../value/error.js'
import { type Definition, native, type PackageDefinition } from '../../define.js'

const fromType =
  '(bucket: string, measurement: string) => stream[{A with _time: time}] where A: Record'
const sqlType = '(bucket: string, query: string) => stream[A] where A: Record'

export const ioxPackage: PackageDefinition = {
  path: 'experimental/iox',
  name: 'iox',
  builtins: [
    ['from', unavailable('from', fromType)],
    ['sql', unavailable('sql', sqlType)],
    ['_sqlInterval', native('(d: string) => string', (call) => sqlInterval(call.string('d')))],
  ],
  source: `package iox

sqlInterval = (d) => _sqlInterval(d: string(v: d))
`,
}

function unavailable(name: string, type: string): Definition {
  return native(type, () => {
    const message = `iox.${name}() is not available here: it reads from another storage engine`
    throw new FluxError(message, 'not implemented')
  })
}

const unitWords: ReadonlyMap<string, string> = new Map([
  ['ns', 'nanoseconds'],
  ['us', 'microseconds'],
  ['ms', 'milliseconds'],
  ['s', 'seconds'],
  ['m', 'minutes'],
  ['h', 'hours'],
  ['d', 'days'],
  ['w', 'weeks'],
  ['mo', 'months'],
  ['y', 'years'],
])

/** `1w6d` → `1 weeks 6 days`; what is no unit stays. */
function sqlInterval(text: string): string {
  return text.replace(/[^\d]+/g, (unit) => ` ${unitWords.get(unit) ?? unit} `).trim()
}
