// A field that narrows a list down: what is
// typed is looked for in names.

import { TextInput } from '@mantine/core'
import { Icon } from './icons.js'

export interface SearchBoxProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

export function SearchBox({ label, value, onChange }: SearchBoxProps) {
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      maw={320}
      leftSection={<Icon name="search" size={14} />}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

export function isFound(search: string, ...texts: readonly (string | undefined)[]): boolean {
  const wanted = search.trim().toLowerCase()
  return texts.some((text) => text?.toLowerCase().includes(wanted))
}
