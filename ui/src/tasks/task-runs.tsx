// Runs of a task, the latest first: how each ended and how long it took, with its log. A run that has ended is asked
// for again, one that has not is called off.

import { Button } from '@mantine/core'
import { Fragment, useState } from 'react'
import { cancelRun, retryRun, type Task, type TaskRun, useRuns } from '../api/tasks.js'
import { durationText, momentText, plural } from '../parts/figures.js'
import { Empty, Loaded } from '../parts/states.js'
import { useChange } from '../parts/use-change.js'
import { RunMark } from './run-mark.js'

export interface TaskRunsProps {
  readonly task: Task
  readonly lacking: string | undefined
}

export function TaskRuns({ task, lacking }: TaskRunsProps) {
  const found = useRuns(task.id)
  return (
    <Loaded of={found} what="runs">
      {(runs) =>
        runs.length === 0 ? (
          <Empty title="No run yet">The first one comes with the schedule, or with Run now.</Empty>
        ) : (
          <div className="table-scroll">
            <table className="plain-table">
              <thead>
                <tr>
                  <th>For</th>
                  <th>How it went</th>
                  <th>Began</th>
                  <th className="is-number">Took</th>
                  <th>Log</th>
                  <th>
                    <span className="hidden-text">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {runs.map((run) => (
                  <RunRow key={run.id} taskId={task.id} run={run} lacking={lacking} />
                ))}
              </tbody>
            </table>
          </div>
        )
      }
    </Loaded>
  )
}

interface RunRowProps {
  readonly taskId: string
  readonly run: TaskRun
  readonly lacking: string | undefined
}

function RunRow({ taskId, run, lacking }: RunRowProps) {
  const { id, status, scheduledFor, startedAt, log } = run
  const { change } = useChange('runs', 'task', 'tasks')
  const [isOpen, setOpen] = useState(status === 'failed')
  const isUnderWay = status === 'scheduled' || status === 'started'
  const at = momentText(scheduledFor)
  return (
    <Fragment>
      <tr>
        <td className="no-wrap">{at}</td>
        <td>
          <RunMark status={status} />
        </td>
        <td className="no-wrap">{startedAt === undefined ? '' : momentText(startedAt)}</td>
        <td className="is-number no-wrap">{tookText(run)}</td>
        <td>
          {log.length > 0 && (
            <button
              type="button"
              className="text-button"
              aria-expanded={isOpen}
              aria-label={`Log of ${at}`}
              onClick={() => setOpen(!isOpen)}
            >
              {plural(log.length, 'line')}
            </button>
          )}
        </td>
        <td>
          <Button
            size="compact-xs"
            variant="default"
            disabled={lacking !== undefined}
            title={lacking}
            onClick={() =>
              isUnderWay
                ? change(() => cancelRun(taskId, id), 'The run is called off')
                : change(() => retryRun(taskId, id), 'It runs again')
            }
          >
            {isUnderWay ? 'Call off' : 'Again'}
          </Button>
        </td>
      </tr>
      {isOpen && log.length > 0 && (
        <tr>
          <td colSpan={6}>
            <ul className="log">
              {log.map(({ time, message }) => (
                <li key={`${time} ${message}`}>
                  <span className="muted mono">{time.slice(11, 23).replace('Z', '')}</span>{' '}
                  <span className="mono">{message}</span>
                </li>
              ))}
            </ul>
          </td>
        </tr>
      )}
    </Fragment>
  )
}

function tookText({ startedAt, finishedAt }: TaskRun): string {
  if (startedAt === undefined || finishedAt === undefined) return ''
  return durationText(Date.parse(finishedAt) - Date.parse(startedAt))
}
