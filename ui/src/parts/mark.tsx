// A state in a word with a sign beside it: never told
// by its colour alone.

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'muted' | 'unsure'

const signs: Readonly<Record<Tone, string>> = {
  good: '✓',
  warn: '▲',
  bad: '✕',
  info: 'i',
  muted: '·',
  unsure: '?',
}

export function Mark({ tone, children }: { readonly tone: Tone; readonly children: string }) {
  return (
    <span className={`mark ${tone}`}>
      <span aria-hidden="true">{signs[tone]}</span> <span>{children}</span>
    </span>
  )
}
