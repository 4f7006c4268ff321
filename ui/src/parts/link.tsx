// A link within the page: below the base path,
// without loading anything anew.

import type { ReactNode } from 'react'
import { Link as RoutedLink } from 'wouter'

export interface LinkProps {
  readonly href: string
  readonly children: ReactNode
  readonly className?: string
  readonly title?: string
  readonly 'aria-label'?: string
  readonly 'aria-current'?: 'page' | undefined
  readonly onClick?: () => void
}

export function Link(props: LinkProps) {
  return <RoutedLink {...props} />
}
