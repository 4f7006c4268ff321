// The explorer before its code and its buckets are there: heading, and boxes where toolbar, tree, editor and answer
// come. They are those of the explorer itself, or as high as what comes, so that nothing moves.

import { EditorFrame } from '../editor/editor-frame.js'
import { Page } from '../parts/page.js'
import { Loading } from '../parts/states.js'

export function ExploreFrame() {
  return (
    <Page title="Explore" isFull actions={<div className="bone explore-bar-bone" />}>
      <div className="explore" data-pane="query">
        <div className="explore-tabs">
          <div className="bone explore-tabs-bone" />
        </div>
        <div className="explore-side">
          <div className="bone field-bone" />
          <div className="bone field-bone" />
          <div className="bone labelled-bone" />
          <Loading />
        </div>
        <div className="explore-main">
          <div />
          <EditorFrame />
        </div>
      </div>
    </Page>
  )
}
