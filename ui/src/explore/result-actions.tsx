// What can be done with an answer: share it, take
// it along, ask it from elsewhere.

import { Button, Menu } from '@mantine/core'
import { useState } from 'react'
import type { Bucket } from '../api/buckets.js'
import { apiUrl } from '../api/http.js'
import { isCluster } from '../api/variant.js'
import { CopyButton, copyText } from '../parts/copy-button.js'
import { DropDown } from '../parts/drop-down.js'
import { Icon } from '../parts/icons.js'
import { saveBlob } from '../parts/save-file.js'
import { done, failed } from '../parts/toasts.js'
import { csvText } from '../query/csv-text.js'
import { isComplete } from '../query/model.js'
import type { RunState } from '../query/use-run.js'
import { useHere } from '../shell/here.js'
import { answerFile, type FileKind } from './answer-file.js'
import { copiesOf } from './copy-as.js'
import { type ExploreState, isBuilt, printState } from './explore-state.js'
import { SaveAs } from './save-as.js'

export interface ResultActionsProps {
  readonly answer: RunState
  readonly state: ExploreState
  readonly bucket: Bucket
}

export function ResultActions({ answer, state, bucket }: ResultActionsProps) {
  const { org } = useHere()
  const { result, question } = answer
  const [busy, setBusy] = useState<FileKind>()
  const isEmpty =
    result === undefined ||
    question === undefined ||
    result.rowCount === 0 ||
    answer.failure !== undefined
  const copy = async (name: string, text: string) => {
    if (await copyText(text)) done(`Copied for ${name}`)
    else failed('The clipboard cannot be reached from here.')
  }
  const save = async (kind: FileKind) => {
    if (question === undefined) return
    setBusy(kind)
    try {
      saveBlob(await answerFile(question, kind), `result.${kind}`)
    } catch (error) {
      failed(error, kind === 'csv' ? 'CSV' : 'Parquet')
    } finally {
      setBusy(undefined)
    }
  }
  // What was read in full is here already.
  const csv = () => {
    if (result === undefined || result.stoppedAt !== undefined) return save('csv')
    saveBlob(new Blob([csvText(result)], { type: 'text/csv' }), 'result.csv')
  }
  const link = () => `${apiUrl('explore')}${printState({ ...state, bucket: bucket.name })}`
  return (
    <div className="row">
      {!isCluster() && (
        <SaveAs
          question={question}
          bucket={bucket.name}
          range={state.range}
          isTable={state.view === 'table'}
          model={isBuilt(state) && isComplete(state.model) ? state.model : undefined}
        />
      )}
      <CopyButton label="Share link" text={link} />
      <DropDown
        button={
          <Button
            size="xs"
            variant="default"
            rightSection={<Icon name="down" size={12} />}
            disabled={question === undefined}
          >
            Copy as
          </Button>
        }
      >
        {question !== undefined &&
          copiesOf(question, org.name, bucket.name).map(({ name, text }) => (
            <Menu.Item key={name} onClick={() => copy(name, text)}>
              {name}
            </Menu.Item>
          ))}
      </DropDown>
      <Button
        size="xs"
        variant="default"
        disabled={isEmpty}
        leftSection={<Icon name="download" size={14} />}
        loading={busy === 'csv'}
        onClick={csv}
      >
        {result?.stoppedAt === undefined ? 'CSV' : 'All as CSV'}
      </Button>
      <Button
        size="xs"
        variant="default"
        disabled={isEmpty}
        loading={busy === 'parquet'}
        onClick={() => save('parquet')}
      >
        Parquet
      </Button>
      {state.view === 'chart' && (
        <Button size="xs" variant="default" disabled={isEmpty} onClick={savePicture}>
          PNG
        </Button>
      )}
    </div>
  )
}

/** On the page's colour: a chart is drawn on nothing. */
function savePicture(): void {
  const canvas = document.querySelector<HTMLCanvasElement>('.explore-result canvas')
  if (canvas === null) return
  const copy = document.createElement('canvas')
  copy.width = canvas.width
  copy.height = canvas.height
  const context = copy.getContext('2d')!
  context.fillStyle = getComputedStyle(document.body).backgroundColor
  context.fillRect(0, 0, copy.width, copy.height)
  context.drawImage(canvas, 0, 0)
  copy.toBlob((blob) => blob !== null && saveBlob(blob, 'chart.png'))
}
