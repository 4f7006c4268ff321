// The package `planner`: options that turn rules of the planner off by name. Rows stay the same; a rule
// saves work.

import type { PackageDefinition } from '../define.js'

export const plannerPackage: PackageDefinition = {
  path: 'planner',
  name: 'planner',
  builtins: [],
  source: `package planner

option disableLogicalRules = [""]
option disablePhysicalRules = [""]
`,
}
