// The package `planner`: options that turn rules of the planner off by name. Rows stay the same; a rule
// saves work.

package planner

option disableLogicalRules = [""]
option disablePhysicalRules = [""]
