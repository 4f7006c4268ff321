// The frame of pages whose content is on its way: heading and window title are those of the page from the first moment
// on, so that what comes fills them and moves nothing.

import type { ReactNode } from 'react'
import { Page, type PageProps } from './page.js'
import { Loaded, type LoadedProps, Loading } from './states.js'

type FrameProps = Pick<PageProps, 'title' | 'isWide'>

/** For a page whose code is not there yet. */
export function PageFrame(props: FrameProps) {
  return (
    <Page {...props}>
      <Loading />
    </Page>
  )
}

/** For a page about one thing: until its name is known the heading says what kind of thing it is. */
export function LoadedPage<T>({ title, isWide, ...rest }: FrameProps & LoadedProps<T>): ReactNode {
  if (rest.of.data !== undefined) return rest.children(rest.of.data)
  return (
    <Page title={title} isWide={isWide}>
      <Loaded {...rest} />
    </Page>
  )
}
