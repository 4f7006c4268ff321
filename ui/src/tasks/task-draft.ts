// What is typed into the form of a task, and what of it is sent. Each language keeps its own text, so that looking at
// another loses nothing.

import type { Task, TaskInput } from '../api/tasks.js'
import { isLanguage, type Language } from '../query/language.js'

export interface Draft {
  readonly language: Language
  readonly texts: Partial<Record<Language, string>>
  readonly name: string
  readonly every: string
  readonly cron: string
  readonly offset: string
  readonly database: string
  readonly targetBucket: string
  readonly targetMeasurement: string
}

export function draftOf(task: Task | undefined): Draft {
  const language = task?.language ?? 'flux'
  const text = task?.language === undefined ? task?.flux : task.query
  return {
    language,
    texts: text === undefined ? {} : { [language]: text },
    name: task?.name ?? '',
    every: task === undefined ? '1h' : (task.every ?? ''),
    cron: task?.cron ?? '',
    offset: task?.offset ?? '',
    database: task?.database ?? '',
    targetBucket: task?.targetBucket ?? '',
    targetMeasurement: task?.targetMeasurement ?? '',
  }
}

/** What a link brings along: the explorer's question. Undefined: nothing. */
export function givenDraft(search: string): Partial<Draft> | undefined {
  const parameters = new URLSearchParams(search)
  const [language, text] = [parameters.get('l'), parameters.get('q')]
  if (!isLanguage(language) || text === null) return undefined
  const bucket = parameters.get('b') ?? ''
  const isFlux = language === 'flux' && !/^\s*option\s+task\b/m.test(text)
  const script = isFlux ? withTaskOption(text) : text
  return { language, texts: { [language]: script }, database: bucket, targetBucket: bucket }
}

/** Imports come first in a script. */
function withTaskOption(text: string): string {
  const lines = text.split('\n')
  const last = lines.findLastIndex((line) => /^\s*import\s/.test(line))
  lines.splice(last + 1, 0, 'option task = {name: "new task", every: 1h}')
  return lines.join('\n')
}

export function inputOf(draft: Draft, text: string): TaskInput {
  const { language, name, every, cron, offset, database } = draft
  if (language === 'flux') return { flux: text }
  const target = { targetBucket: draft.targetBucket, targetMeasurement: draft.targetMeasurement }
  const schedule = cron === '' ? { every } : { cron }
  return {
    name,
    ...schedule,
    ...(offset === '' ? {} : { offset }),
    language,
    query: text,
    database,
    ...(language === 'sql' ? target : {}),
  }
}

/** What the editor begins with: a task that could run as it stands, were its names right. */
export function startText(language: Language, bucket: string): string {
  if (language === 'flux') {
    return (
      'option task = {name: "hourly means", every: 1h, offset: 5m}\n\n' +
      `from(bucket: ${JSON.stringify(bucket)})\n    |> range(start: -task.every)\n` +
      '    |> filter(fn: (r) => r._measurement == "room")\n' +
      '    |> aggregateWindow(every: 5m, fn: mean)\n' +
      `    |> set(key: "_measurement", value: "room_5m")\n    |> to(bucket: ${JSON.stringify(bucket)})\n`
    )
  }
  if (language === 'influxql') {
    return 'SELECT mean(*) INTO room_5m FROM room\nWHERE time >= now() - 1h AND time < now()\nGROUP BY time(5m), *'
  }
  return "SELECT room, max(temperature) AS temperature FROM room\nWHERE time >= now() - INTERVAL '1 hour' GROUP BY room"
}
