// Above the editor: whether the tree has written the text, says the same, or cannot show it, and from where on it
// cannot.

import { strangePart } from '../query/read.js'
import { type ExploreState, isBuilt, textOf } from './explore-state.js'

export interface TextHintProps {
  readonly state: ExploreState
  readonly onEdit: (text: string) => void
}

export function TextHint({ state, onEdit }: TextHintProps) {
  return (
    <div className="row small muted explore-hint">
      <Hint state={state} onEdit={onEdit} />
    </div>
  )
}

const shownMax = 32

function Hint({ state, onEdit }: TextHintProps) {
  if (isBuilt(state))
    return <span>Written by what is chosen in the tree; edit it as you like.</span>
  const { language, bucket = '' } = state
  const strange = strangePart(textOf(state), language, bucket)
  if (strange === undefined) {
    return <span>The tree and the text say the same: change either, or the language.</span>
  }
  const part = strange.replace(/\s+/g, ' ').trim()
  return (
    <>
      <span>
        Written by hand: the tree cannot show{' '}
        {part === '' ? (
          'it'
        ) : (
          <code>{part.length > shownMax ? `${part.slice(0, shownMax)}…` : part}</code>
        )}
        , and leaves it alone.
      </span>
      <button
        type="button"
        className="text-button"
        onClick={() => onEdit(textOf({ ...state, drafts: {} }))}
      >
        Write it by the tree
      </button>
    </>
  )
}
