// Options of tasks: what is read from a script, what is refused, and that a change touches nothing
// but the option it is about.

import { expect, it } from 'vitest'
import { changeTaskOptions, readTaskOptions } from '../../src/catalog/tasks/task-options.js'
import { scriptTools } from '../../src/flux/tools/script-tools.js'

it('reads options among everything else that a script has', () => {
  const flux = `// option task = {name: "not this one"}
import "strings"
option v = {a: {b: 1}}
option task = {
  // the name has a brace and a quote
  name: "a } \\"b\\"",
  "every": 1h30m, offset: -5m,
  concurrency: 2,
  retry: 3,
}
from(bucket: "option task = {") |> filter(fn: (r) => r.x =~ /"{/ and r.y / 2.0 > 1.0)`
  expect(readTaskOptions(scriptTools, flux)).toEqual({
    name: 'a } "b"',
    every: '1h30m',
    cron: undefined,
    offset: '-5m',
    concurrency: 2,
    retry: 3,
  })
})

it('takes cron in all its shapes', () => {
  const cron = (text: string) =>
    readTaskOptions(scriptTools, `option task = {name: "n", cron: "${text}"}`).cron
  for (const good of ['0 2 * * *', '*/5 0-4,8 * jan MON', '0 0 2 * * *', '@daily', '@every 1h']) {
    expect(cron(good)).toBe(good)
  }
  const refused = {
    '': 'cron invalid: too few positions in cron: 0 of at least 5 at char 0',
    '* * *': 'cron invalid: too few positions in cron: 3 of at least 5 at char 5',
    '@never': "cron invalid: error in parsing at char 1, 'n'",
    '@every x': "failed to parse field 'every' in task options: every option must be a duration",
    'a b c d %': "cron invalid: error in parsing at char 0, 'a'",
    '0 0 30 2 *': 'cron invalid: 0 0 30 2 * never comes',
  }
  for (const [bad, message] of Object.entries(refused)) {
    expect(() => cron(bad)).toThrow(`invalid options: ${message}`)
  }
})

it.each([
  ['', 'no task options defined'],
  ['from(bucket: "b")', 'no task options defined'],
  ['option task = {name: "a", every: 1h}\noption task = {name: "a"}', 'multiple task options'],
  ['option task = f()', 'task option expected to be object literal, but found "f"'],
  ['option task =', 'task option expected to be object literal, but found ""'],
  ['option task = {every: 1h}', 'missing required option: name'],
  ['option task = {name: "", every: 1h}', 'missing required option: name'],
  [
    'option task = {name: x, every: 1h}',
    "failed to parse field 'name' in task options: it must be a string",
  ],
  ['option task = {name: "a"}', 'missing required option: cron or every'],
  ['option task = {name: "a", every: 1h, cron: "@daily"}', 'cannot use both cron and every'],
  ['option task = {name: "a", every: 500ms}', 'every option must be at least 1 second'],
  ['option task = {name: "a", every: 0s}', 'every option must be at least 1 second'],
  ['option task = {name: "a", every: 1500ms}', 'every option must be expressible as whole seconds'],
  ['option task = {name: "a", every: f(x: 1, y: {})}', "failed to parse field 'every' in task"],
  ['option task = {name: "a", every: 1h, offset: 1ms}', 'offset option must be expressible'],
  ['option task = {name: "a", every: 1h, concurrency: 101}', 'concurrency exceeded max of 100'],
  ['option task = {name: "a", every: 1h, retry: 11}', 'retry exceeded max of 10'],
  ['option task = {name: "a", every: 1h, retry: 0}', 'retry must be at least 1'],
  ['option task = {name: "a", every: 1h', 'the task options are not closed'],
  ['option task = {name "a"}', 'cannot read the task options at "name"'],
  ['option task = {name: , every: 1h}', 'option name has no value'],
])('refuses %j', (flux, message) => {
  expect(() => readTaskOptions(scriptTools, flux)).toThrow(`invalid options: ${message}`)
})

it('changes options in place', () => {
  const flux = 'option task = {name: "a", every: 1h}  // hourly\nx = {every: 1h}'
  expect(changeTaskOptions(scriptTools, flux, { name: 'b"$' })).toBe(
    flux.replace('"a"', '"b\\"$$"'),
  )
  const cron = changeTaskOptions(scriptTools, flux, { cron: '@daily', offset: '5m' })
  expect(cron).toBe(
    'option task = {name: "a", cron: "@daily", offset: 5m}  // hourly\nx = {every: 1h}',
  )
  expect(changeTaskOptions(scriptTools, cron, { every: '2h', offset: '0s' })).toBe(
    'option task = {name: "a", every: 2h}  // hourly\nx = {every: 1h}',
  )
  expect(() => changeTaskOptions(scriptTools, flux, { every: '1h', cron: '@daily' })).toThrow(
    'cannot specify',
  )
  expect(() => changeTaskOptions(scriptTools, flux, { every: 'soon' })).toThrow(
    'must be a duration',
  )
})
