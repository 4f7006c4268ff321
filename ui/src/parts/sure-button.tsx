// A button that asks once more, in its own place, before it does what cannot
// be undone. Leaving it forgets the first press.

import { Button } from '@mantine/core'
import { useState } from 'react'

export interface SureButtonProps {
  readonly label: string
  readonly text?: string
  readonly isDisabled?: boolean
  readonly onSure: () => void
}

export function SureButton({
  label,
  text = 'Delete',
  isDisabled = false,
  onSure,
}: SureButtonProps) {
  const [isAsked, setAsked] = useState(false)
  return (
    <Button
      size="compact-xs"
      {...(isAsked ? { variant: 'light', color: 'red' } : { variant: 'default' })}
      aria-label={isAsked ? `${label}: sure?` : label}
      disabled={isDisabled}
      onBlur={() => setAsked(false)}
      onClick={() => {
        if (isAsked) onSure()
        setAsked(!isAsked)
      }}
    >
      {isAsked ? 'Sure?' : text}
    </Button>
  )
}
