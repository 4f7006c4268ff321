// A button for what not everybody may: there for all, switched off for those who lack the
// permission, with the name of what they lack.

import { Button, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon, type IconName } from './icons.js'

export interface MayButtonProps {
  /** What the user lacks; absent: nothing. */
  readonly lacking: string | undefined
  readonly icon?: IconName
  readonly variant?: 'default' | 'filled'
  readonly isBusy?: boolean
  readonly onClick: () => void
  readonly children: ReactNode
}

export function MayButton({
  lacking,
  icon,
  variant = 'filled',
  isBusy = false,
  onClick,
  children,
}: MayButtonProps) {
  return (
    <Tooltip label={lacking} disabled={lacking === undefined}>
      <Button
        // Without a variant the theme's own colours hold, in the dark too.
        {...(variant === 'default' ? { variant } : {})}
        disabled={lacking !== undefined}
        loading={isBusy}
        leftSection={icon !== undefined && <Icon name={icon} size={14} />}
        onClick={onClick}
      >
        {children}
      </Button>
    </Tooltip>
  )
}
