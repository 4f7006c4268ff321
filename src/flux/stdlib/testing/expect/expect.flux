// The package `testing/expect`. What the planner did is not visible to scripts: expectations about it are taken
// note of, no more.

package expect

planner = (rules) => ({})
