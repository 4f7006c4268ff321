// What can be done with an answer: share it, take
// it along, ask it from elsewhere.

import { Button, Menu } from '@mantine/core'
import { useState } from 'react'
import type { Bucket } from '../api/buckets.js'
import { apiUrl } from '../api/http.js'
import { isCluster } from '../api/variant.js'
import { CopyButton, copyText } from '../parts/copy-button.js'
import { Icon } from '../parts/icons.js'
import { saveBlob } from '../parts/save-file.js'
import { done, failed } from '../parts/toasts.js'
import { csvText } from '../query/csv-text.js'
import { boundText, type Question } from '../query/language.js'
import { isComplete } from '../query/model.js'
import { requestOf } from '../query/request.js'
import type { RunState } from '../query/use-run.js'
import { useHere } from '../shell/here.js'
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
  const [isBusy, setBusy] = useState(false)
  const isEmpty = result === undefined || question === undefined || result.rowCount === 0
  const copy = async (name: string, text: string) => {
    if (await copyText(text)) done(`Copied for ${name}`)
    else failed('The clipboard cannot be reached from here.')
  }
  const parquet = async () => {
    if (question === undefined) return
    setBusy(true)
    try {
      saveBlob(await parquetOf(question), 'result.parquet')
    } catch (error) {
      failed(error, 'Parquet')
    } finally {
      setBusy(false)
    }
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
      <Menu>
        <Menu.Target>
          <Button
            size="xs"
            variant="default"
            rightSection={<Icon name="down" size={12} />}
            disabled={question === undefined}
          >
            Copy as
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {question !== undefined &&
            copiesOf(question, org.name, bucket.name).map(({ name, text }) => (
              <Menu.Item key={name} onClick={() => copy(name, text)}>
                {name}
              </Menu.Item>
            ))}
        </Menu.Dropdown>
      </Menu>
      <Button
        size="xs"
        variant="default"
        disabled={isEmpty}
        leftSection={<Icon name="download" size={14} />}
        onClick={() =>
          result !== undefined &&
          saveBlob(new Blob([csvText(result)], { type: 'text/csv' }), 'result.csv')
        }
      >
        CSV
      </Button>
      <Button size="xs" variant="default" disabled={isEmpty} loading={isBusy} onClick={parquet}>
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

async function parquetOf(question: Question): Promise<Blob> {
  const accept = 'application/vnd.apache.parquet'
  const { language, bucketId: db } = question
  const flux = requestOf(question)
  const isFlux = language === 'flux'
  const response = await fetch(isFlux ? flux.url : apiUrl(`api/v3/query_${language}`), {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept },
    body: isFlux ? flux.body : JSON.stringify({ db, q: boundText(question), format: 'parquet' }),
  })
  if (response.ok) return response.blob()
  const { error, message } = (await response.json()) as { error?: string; message?: string }
  throw new Error(message ?? error)
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
