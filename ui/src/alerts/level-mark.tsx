// A level, with the sign and the colour that
// it has everywhere.

import type { Level } from '../api/alerts.js'
import { Mark, type Tone } from '../parts/mark.js'

const tones: Readonly<Record<string, Tone>> = {
  CRIT: 'bad',
  WARN: 'warn',
  INFO: 'info',
  OK: 'good',
  UNKNOWN: 'muted',
}

export const levels: readonly Level[] = ['CRIT', 'WARN', 'INFO', 'OK', 'UNKNOWN']

/** Worst first. */
export function severity(level: string): number {
  const at = levels.indexOf(level.toUpperCase() as Level)
  return at < 0 ? levels.length : at
}

export function levelColour(level: string): string {
  const tone = tones[level.toUpperCase()] ?? 'muted'
  return getComputedStyle(document.documentElement).getPropertyValue(`--${tone}`).trim()
}

export function LevelMark({ level }: { readonly level: string }) {
  const name = level.toUpperCase()
  return <Mark tone={tones[name] ?? 'muted'}>{name}</Mark>
}
