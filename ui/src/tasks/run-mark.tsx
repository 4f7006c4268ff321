// How a run ended, in a word. A run that has
// not ended says so.

import type { RunStatus } from '../api/tasks.js'
import { Mark, type Tone } from '../parts/mark.js'

const told: Readonly<Record<RunStatus, readonly [Tone, string]>> = {
  success: ['good', 'done'],
  failed: ['bad', 'failed'],
  started: ['info', 'running'],
  scheduled: ['muted', 'waiting'],
  canceled: ['warn', 'called off'],
}

export function RunMark({ status }: { readonly status: RunStatus }) {
  const [tone, text] = told[status] ?? ['muted', status]
  return <Mark tone={tone}>{text}</Mark>
}
