// The package `profiler`: nothing but the option that asks for tables about how a query ran. The runner
// of plans measures, the planner hands the tables out.

package profiler

option enabledProfilers = [""]
