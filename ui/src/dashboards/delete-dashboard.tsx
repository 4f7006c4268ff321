// Asks before a dashboard is deleted: nothing
// brings it back.

import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type Dashboard, deleteDashboard } from '../api/dashboards.js'
import { Dialog } from '../parts/dialog.js'
import { plural } from '../parts/figures.js'
import { done, failed } from '../parts/toasts.js'

export interface DeleteDashboardProps {
  /** Undefined: nothing is asked. */
  readonly dashboard: Dashboard | undefined
  readonly onClose: () => void
  readonly onDone?: () => void
}

export function DeleteDashboard({ dashboard, onClose, onDone }: DeleteDashboardProps) {
  const client = useQueryClient()
  const remove = async ({ id, name }: Dashboard) => {
    try {
      await deleteDashboard(id)
      onClose()
      onDone?.()
      done(`${name} is deleted`)
      await client.invalidateQueries({ queryKey: ['dashboards'] })
    } catch (error) {
      failed(error, name)
    }
  }
  return (
    <Dialog opened={dashboard !== undefined} onClose={onClose} title="Delete the dashboard?">
      {dashboard !== undefined && (
        <div className="stack">
          <p>
            <strong>{dashboard.name}</strong> has {plural(dashboard.cells.length, 'cell')}. Points
            in buckets stay; the dashboard is gone for good.
          </p>
          <div className="row">
            <Button color="red" onClick={() => void remove(dashboard)}>
              Delete it
            </Button>
            <Button variant="default" onClick={onClose}>
              Keep it
            </Button>
          </div>
        </div>
      )}
    </Dialog>
  )
}
