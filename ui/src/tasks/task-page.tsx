// One task: its script, its runs with their logs, and runs for the past. It is switched on and off, run now, and tried
// without writing anything.

import { Button, Switch, Tabs } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { changeTask, runTask, type Task, useTask } from '../api/tasks.js'
import { Dialog } from '../parts/dialog.js'
import { Link } from '../parts/link.js'
import { LoadedPage } from '../parts/loaded-page.js'
import { MayButton } from '../parts/may-button.js'
import { Page } from '../parts/page.js'
import { useChange } from '../parts/use-change.js'
import { useMay } from '../shell/here.js'
import { TaskBackfill } from './task-backfill.js'
import { TaskForm } from './task-form.js'
import { TaskRuns } from './task-runs.js'
import { TaskTrial } from './task-trial.js'
import { scheduleText } from './tasks-page.js'

export function NewTaskPage() {
  const [, go] = useLocation()
  const client = useQueryClient()
  const { lacking } = useMay('write', 'tasks')
  return (
    <Page title="New task" actions={<Link href="/tasks">All tasks</Link>}>
      <TaskForm
        task={undefined}
        lacking={lacking}
        onSaved={({ id }) => {
          void client.invalidateQueries({ queryKey: ['tasks'] })
          go(`/tasks/${id}/script`)
        }}
      />
    </Page>
  )
}

export function TaskPage() {
  const { id } = useParams<{ id: string }>()
  const found = useTask(id)
  return (
    <LoadedPage of={found} title="Task" what="task">
      {(task) => <LoadedTask key={id} task={task} />}
    </LoadedPage>
  )
}

function LoadedTask({ task }: { readonly task: Task }) {
  const { tab } = useParams<{ tab: string }>()
  const [, go] = useLocation()
  const { lacking } = useMay('write', 'tasks')
  const { change, isBusy } = useChange('task', 'tasks', 'runs')
  const [isTried, setTried] = useState(false)
  const { id, name, status } = task
  const isOn = status === 'active'
  const switchIt = () =>
    change(
      () => changeTask(id, { status: isOn ? 'inactive' : 'active' }),
      `${name} is ${isOn ? 'off' : 'on'}`,
    )
  const run = async () => {
    if (await change(() => runTask(id), `${name} runs`)) go(`/tasks/${id}/runs`)
  }
  const actions = (
    <>
      <Switch label="On" checked={isOn} disabled={lacking !== undefined} onChange={switchIt} />
      <Button
        variant="default"
        disabled={lacking !== undefined}
        title={lacking}
        onClick={() => setTried(true)}
      >
        Try
      </Button>
      <MayButton
        lacking={lacking ?? (isOn ? undefined : 'The task is off.')}
        icon="play"
        variant="default"
        isBusy={isBusy}
        onClick={run}
      >
        Run now
      </MayButton>
    </>
  )
  return (
    <Page title={name} actions={actions}>
      <p className="muted">
        <Link href="/tasks">All tasks</Link> · {scheduleText(task)}
      </p>
      <Tabs
        value={['runs', 'backfill'].includes(tab) ? tab : 'script'}
        onChange={(value) => go(`/tasks/${id}/${value}`)}
        keepMounted={false}
      >
        <Tabs.List>
          <Tabs.Tab value="script">Script</Tabs.Tab>
          <Tabs.Tab value="runs">Runs</Tabs.Tab>
          <Tabs.Tab value="backfill">Backfill</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="script" pt="md">
          <TaskForm
            task={task}
            lacking={lacking}
            onSaved={() => void change(() => Promise.resolve())}
          />
        </Tabs.Panel>
        <Tabs.Panel value="runs" pt="md">
          <TaskRuns task={task} lacking={lacking} />
        </Tabs.Panel>
        <Tabs.Panel value="backfill" pt="md">
          <TaskBackfill task={task} lacking={lacking} />
        </Tabs.Panel>
      </Tabs>
      <Dialog opened={isTried} onClose={() => setTried(false)} title={`Try ${name}`} size="xl">
        {isTried && <TaskTrial task={task} />}
      </Dialog>
    </Page>
  )
}
