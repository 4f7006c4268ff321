// The package `profiler`: nothing but the option that asks for tables about how a query ran. The runner
// of plans measures, the planner hands the tables out.

import type { PackageDefinition } from '../define.js'

export const profilerPackage: PackageDefinition = {
  path: 'profiler',
  name: 'profiler',
  builtins: [],
  source: `package profiler

option enabledProfilers = [""]
`,
}
