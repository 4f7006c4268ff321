// The tasks of an organization: when each runs, how its last run went, and when the next one is due. Each is switched
// on and off here; its script and runs are `task-page.tsx`.

import { Switch } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { changeTask, deleteTask, type Task, tasksMax, useTasks } from '../api/tasks.js'
import { examples } from '../parts/examples.js'
import { agoText, momentText } from '../parts/figures.js'
import { Link } from '../parts/link.js'
import { MayButton } from '../parts/may-button.js'
import { Page } from '../parts/page.js'
import { isFound, SearchBox } from '../parts/search-box.js'
import { Empty, Loaded } from '../parts/states.js'
import { SureButton } from '../parts/sure-button.js'
import { useChange } from '../parts/use-change.js'
import { useHere, useMay } from '../shell/here.js'
import { RunMark } from './run-mark.js'

export function TasksPage() {
  const { org } = useHere()
  const found = useTasks(org.id)
  const [, go] = useLocation()
  const { lacking } = useMay('write', 'tasks')
  const [search, setSearch] = useState('')
  const add = (
    <MayButton lacking={lacking} icon="plus" onClick={() => go('/tasks/new')}>
      New task
    </MayButton>
  )
  return (
    <Page title="Tasks" actions={add}>
      <Loaded of={found} what="tasks">
        {(all) => {
          if (all.length === 0) {
            return (
              <Empty
                title="No task yet"
                action={<Link href="/tasks/new">Make the first one</Link>}
                example={examples.task(org.id)}
              >
                A task is a query that the service runs again and again: to downsample, to copy, to
                compute.
              </Empty>
            )
          }
          const shown = all.filter(({ name }) => isFound(search, name))
          return (
            <>
              <SearchBox label="Find a task" value={search} onChange={setSearch} />
              {shown.length === 0 ? (
                <Empty title="No task with this in its name" />
              ) : (
                <Tasks list={shown} lacking={lacking} />
              )}
              {all.length >= tasksMax && <p className="muted small">The first {tasksMax} tasks.</p>}
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}

interface TasksProps {
  readonly list: readonly Task[]
  readonly lacking: string | undefined
}

function Tasks({ list, lacking }: TasksProps) {
  const { change } = useChange('tasks', 'task')
  return (
    <div className="table-scroll">
      <table className="plain-table">
        <thead>
          <tr>
            <th>Name</th>
            <th>When</th>
            <th>Last run</th>
            <th>Next</th>
            <th>On</th>
            <th>
              <span className="hidden-text">Delete</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {list.map((task) => (
            <tr key={task.id}>
              <td>
                <Link href={`/tasks/${task.id}/script`}>{task.name}</Link>
                {task.description !== undefined && (
                  <div className="muted small">{task.description}</div>
                )}
              </td>
              <td className="no-wrap">{scheduleText(task)}</td>
              <td>
                <LastRun task={task} />
              </td>
              <td className="no-wrap">
                {task.nextDue !== undefined && (
                  <span title={momentText(task.nextDue)}>{agoText(task.nextDue)}</span>
                )}
              </td>
              <td>
                <Switch
                  aria-label={`${task.name} is on`}
                  checked={task.status === 'active'}
                  disabled={lacking !== undefined}
                  onChange={(event) => {
                    const isOn = event.currentTarget.checked
                    const status = isOn ? 'active' : 'inactive'
                    void change(
                      () => changeTask(task.id, { status }),
                      `${task.name} is ${isOn ? 'on' : 'off'}`,
                    )
                  }}
                />
              </td>
              <td>
                <SureButton
                  label={`Delete ${task.name}`}
                  isDisabled={lacking !== undefined}
                  onSure={() => change(() => deleteTask(task.id), `${task.name} is deleted`)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export function scheduleText({ every, cron, offset, zone }: Task): string {
  const when = cron === undefined ? `every ${every}` : cron
  const later = offset === undefined || offset === '' ? '' : `, ${offset} later`
  return `${when}${later}${zone === undefined ? '' : `, ${zone}`}`
}

function LastRun({ task }: { readonly task: Task }) {
  const { lastRunStatus, lastRunError, latestCompleted } = task
  if (lastRunStatus === undefined) return <span className="muted">none yet</span>
  return (
    <>
      <RunMark status={lastRunStatus} />{' '}
      {latestCompleted !== undefined && <span className="muted">{agoText(latestCompleted)}</span>}
      {lastRunStatus === 'failed' && lastRunError !== undefined && (
        <div className="bad small clamp" title={lastRunError}>
          {lastRunError}
        </div>
      )}
    </>
  )
}
