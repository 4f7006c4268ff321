// `millrace migrate --json` as a process of its own, with the lines that it told.

import { finish, run } from '../api/program.js'

export async function migrate(args: readonly string[]) {
  const answer = await finish(run(['migrate', '--json', ...args]))
  const events = answer.output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
  const found = (wanted: string) => events.find(({ type }) => type === wanted)
  return { ...answer, events, outcome: found('outcome'), login: found('begin')?.firstLogin }
}
