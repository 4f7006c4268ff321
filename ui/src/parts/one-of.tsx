// A choice of one among few, side by side: radio buttons that look like one control.
// Plain elements: the kit's control measures itself whenever it is drawn, and a page has several.

import { useId } from 'react'

export interface OneOfProps {
  readonly 'aria-label': string
  readonly value: string
  readonly data: readonly (string | { readonly value: string; readonly label: string })[]
  readonly onChange: (value: string) => void
  /** As wide as there is room. */
  readonly isWide?: boolean
}

export function OneOf({ value, data, onChange, isWide = false, ...rest }: OneOfProps) {
  const name = useId()
  return (
    <div
      role="radiogroup"
      className={isWide ? 'one-of one-of-wide' : 'one-of'}
      aria-label={rest['aria-label']}
    >
      {data.map((each) => {
        const option = typeof each === 'string' ? { value: each, label: each } : each
        return (
          <label key={option.value}>
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            <span>{option.label}</span>
          </label>
        )
      })}
    </div>
  )
}
