// Running a task for the past: a span, how many runs that makes, and, once it goes on, how far it has come. It can be
// held up, taken up again and called off.

import { Button, Progress, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import {
  type Backfill,
  type BackfillPlan,
  planBackfill,
  startBackfill,
  type Task,
  turnBackfill,
  useBackfills,
} from '../api/tasks.js'
import { countText, momentText, plural } from '../parts/figures.js'
import { Mark, type Tone } from '../parts/mark.js'
import { Failed, Loaded } from '../parts/states.js'
import { SureButton } from '../parts/sure-button.js'
import { useChange } from '../parts/use-change.js'

export interface TaskBackfillProps {
  readonly task: Task
  readonly lacking: string | undefined
}

export function TaskBackfill({ task, lacking }: TaskBackfillProps) {
  const found = useBackfills(task.id)
  return (
    <div className="stack">
      <SpanForm task={task} lacking={lacking} />
      <Loaded of={found} what="backfills">
        {(all) => (
          <ul className="cards">
            {all.map((backfill) => (
              <BackfillCard
                key={backfill.id}
                taskId={task.id}
                backfill={backfill}
                lacking={lacking}
              />
            ))}
          </ul>
        )}
      </Loaded>
    </div>
  )
}

function SpanForm({ task, lacking }: TaskBackfillProps) {
  const { change, isBusy } = useChange('backfills', 'runs')
  const [span, setSpan] = useState({ start: '', stop: '' })
  const [plan, setPlan] = useState<BackfillPlan>()
  const [error, setError] = useState<unknown>()
  const isWhole = span.start !== '' && span.stop !== ''
  const asked = () => ({
    start: new Date(span.start).toISOString(),
    stop: new Date(span.stop).toISOString(),
  })
  const look = async (event: FormEvent) => {
    event.preventDefault()
    setError(undefined)
    try {
      setPlan(await planBackfill(task.id, asked()))
    } catch (failure) {
      setError(failure)
    }
  }
  const start = async () => {
    if (await change(() => startBackfill(task.id, asked()), 'The backfill goes on')) {
      setPlan(undefined)
    }
  }
  const field = (name: 'start' | 'stop') => ({
    value: span[name],
    onChange: (event: { currentTarget: { value: string } }) => {
      setPlan(undefined)
      setSpan({ ...span, [name]: event.currentTarget.value })
    },
  })
  return (
    <form onSubmit={look} className="stack narrow">
      <p className="muted">
        Runs the task once for every moment of its schedule in the span, the earliest first. Runs of
        the schedule itself go before them.
      </p>
      <div className="fields-2">
        <TextInput type="datetime-local" label="From" required {...field('start')} />
        <TextInput type="datetime-local" label="Before" required {...field('stop')} />
      </div>
      {error !== undefined && <Failed error={error} />}
      {plan === undefined ? (
        <div>
          <Button type="submit" variant="default" disabled={!isWhole || lacking !== undefined}>
            How many runs?
          </Button>
        </div>
      ) : (
        <div className="row">
          <span>
            {plural(plan.total, 'run')}, {momentText(plan.first)} – {momentText(plan.last)}
          </span>
          <Button loading={isBusy} disabled={lacking !== undefined} onClick={start}>
            Start
          </Button>
        </div>
      )}
    </form>
  )
}

const tones: Readonly<Record<Backfill['status'], readonly [Tone, string]>> = {
  running: ['info', 'running'],
  paused: ['warn', 'held up'],
  done: ['good', 'done'],
  canceled: ['muted', 'called off'],
}

interface BackfillCardProps {
  readonly taskId: string
  readonly backfill: Backfill
  readonly lacking: string | undefined
}

function BackfillCard({ taskId, backfill, lacking }: BackfillCardProps) {
  const { id, status, start, stop, total, succeeded, failed, progress, lastError } = backfill
  const { change } = useChange('backfills', 'runs')
  const isOpen = status === 'running' || status === 'paused'
  const [tone, text] = tones[status]
  const turn = status === 'paused' ? 'resume' : 'pause'
  return (
    <li className="panel stack">
      <div className="row">
        <Mark tone={tone}>{text}</Mark>
        <span>
          {momentText(start)} – {momentText(stop)}
        </span>
        <span className="grow" />
        {isOpen && (
          <>
            <Button
              size="compact-xs"
              variant="default"
              disabled={lacking !== undefined}
              onClick={() => change(() => turnBackfill(taskId, id, turn))}
            >
              {status === 'paused' ? 'Go on' : 'Hold up'}
            </Button>
            <SureButton
              label="Call the backfill off"
              text="Call off"
              isDisabled={lacking !== undefined}
              onSure={() => change(() => turnBackfill(taskId, id, 'cancel'))}
            />
          </>
        )}
      </div>
      <Progress value={progress * 100} aria-label="Runs that have ended" />
      <p className="muted">
        {countText(succeeded)} of {plural(total, 'run')} done
        {failed > 0 && <span className="bad">, {countText(failed)} failed</span>}
      </p>
      {lastError !== undefined && <p className="bad small">{lastError}</p>}
    </li>
  )
}
