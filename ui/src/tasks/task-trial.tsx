// What a task would write if it ran now: the service runs it as a trial, and shows the
// points bucket by bucket. Nothing is written.

import { useQuery } from '@tanstack/react-query'
import { type Task, tryTask } from '../api/tasks.js'
import { momentText, plural } from '../parts/figures.js'
import { Loaded } from '../parts/states.js'

const linesShown = 200

export function TaskTrial({ task }: { readonly task: Task }) {
  const found = useQuery({
    queryKey: ['task-trial', task.id],
    queryFn: () => tryTask(task.id),
    gcTime: 0,
    staleTime: 0,
  })
  return (
    <Loaded of={found} what="trial">
      {({ scheduledFor, rowCount, writes }) => (
        <div className="stack">
          <p role="status">
            For {momentText(scheduledFor)} it would write {plural(rowCount, 'point')}. Nothing was
            written.
          </p>
          {writes.map(({ bucket, lines }) => (
            <section key={bucket} className="stack">
              <h3>{bucket}</h3>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long texts scroll with keys */}
              <pre className="raw trial-lines" tabIndex={0}>
                {lines.slice(0, linesShown).join('\n')}
              </pre>
              {lines.length > linesShown && (
                <p className="muted small">The first {linesShown} lines.</p>
              )}
            </section>
          ))}
        </div>
      )}
    </Loaded>
  )
}
