// The options of the task that a check or a notification rule has, as a statement of its script, in the order in which
// InfluxDB has them.

import type { ScriptTools } from '../base/script-tools.js'

export function taskOption(
  { quoted }: ScriptTools,
  name: string,
  every: string | undefined,
  offset: string | undefined,
): string {
  const options = [`name: ${quoted(name)}`]
  if (every !== undefined) options.push(`every: ${every}`)
  if (offset !== undefined) options.push(`offset: ${offset}`)
  return `option task = {${options.join(', ')}}`
}
