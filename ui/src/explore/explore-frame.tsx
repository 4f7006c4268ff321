// The explorer before its code and its buckets are there: heading, and boxes where toolbar, tree, editor and answer
// come. They are those of the explorer itself, or as large as what comes, so that nothing moves.

import { EditorFrame } from '../editor/editor-frame.js'
import { Page } from '../parts/page.js'
import { Loading } from '../parts/states.js'

/** Language, range, refresh, history, run: they wrap where these wrap. */
const toolWidths = [152, 219, 140, 96, 72]
const smallHeight = 30

export function ExploreFrame() {
  const tools = toolWidths.map((width) => <Bone key={width} width={width} height={smallHeight} />)
  return (
    <Page title="Explore" isFull actions={tools}>
      <div className="explore" data-pane="query">
        <div className="explore-tabs">
          <Bone height={smallHeight} />
        </div>
        <div className="explore-side">
          <Bone height={36} />
          <Bone height={36} />
          <Bone height={50} />
          <Loading />
        </div>
        <div className="explore-main">
          <div className="row small explore-hint">{'\u00a0'}</div>
          <EditorFrame />
        </div>
      </div>
    </Page>
  )
}

function Bone(size: { readonly width?: number; readonly height: number }) {
  return <div className="bone" style={size} />
}
