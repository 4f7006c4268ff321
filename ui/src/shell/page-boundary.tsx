// What a page that cannot be shown shows: a part of it could not be loaded (the service is away, or was replaced by a
// newer one), or it has failed. Going elsewhere, or loading anew, gets out of it.

import { Component, type ReactNode } from 'react'
import { Failed } from '../parts/states.js'

interface PageBoundaryProps {
  /** Another place, another try. */
  readonly place: string
  readonly children: ReactNode
}

interface PageBoundaryState {
  readonly error: unknown
  readonly place: string
}

export class PageBoundary extends Component<PageBoundaryProps, PageBoundaryState> {
  override state: PageBoundaryState = { error: undefined, place: this.props.place }

  static getDerivedStateFromError(error: unknown): Partial<PageBoundaryState> {
    return { error }
  }

  static getDerivedStateFromProps(
    { place }: PageBoundaryProps,
    state: PageBoundaryState,
  ): Partial<PageBoundaryState> | null {
    return place === state.place ? null : { place, error: undefined }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return (
      <Failed error={error} what="This page cannot be shown" onRetry={() => location.reload()} />
    )
  }
}
