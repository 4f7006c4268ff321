// One dashboard: looking at it, and editing it. Looking changes nothing; edits are kept in the page until they are
// saved, all of them in one request.

import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useBuckets } from '../api/buckets.js'
import { type Cell, type Dashboard, useDashboard } from '../api/dashboards.js'
import { newCell } from '../api/new-cells.js'
import { useVariables } from '../api/variables.js'
import { LoadedPage } from '../parts/loaded-page.js'
import { Page } from '../parts/page.js'
import { Empty } from '../parts/states.js'
import { SharedQuestions } from '../query/shared-questions.js'
import type { Moments } from '../query/time-range.js'
import { useHere, useMay } from '../shell/here.js'
import { type Board, BoardContext } from './board.js'
import { BoardDialogs, type Opened } from './board-dialogs.js'
import { BoardTools } from './board-tools.js'
import type { CellActions } from './cell-frame.js'
import { CellGrid } from './cell-grid.js'
import { EditBar } from './edit-bar.js'
import { type Editing, useBoardKeys, useEditing } from './editing.js'
import { useBoardMoments, useBoardState } from './use-board-state.js'
import { useVariableValues } from './use-variables.js'
import { VariablesBar } from './variables-bar.js'

export function DashboardPage({ params }: { readonly params: { readonly id: string } }) {
  return (
    <LoadedPage of={useDashboard(params.id)} title="Dashboard" what="Dashboard" isWide>
      {(dashboard) => <OpenDashboard key={dashboard.id} dashboard={dashboard} />}
    </LoadedPage>
  )
}

function OpenDashboard({ dashboard }: { readonly dashboard: Dashboard }) {
  const { id } = dashboard
  const editing = useEditing(dashboard)
  const { draft, history } = editing
  const [opened, setOpened] = useState<Opened>()
  const { state, change, back } = useBoardState()
  const shared = useState(() => new SharedQuestions())[0]
  const { moments, refresh } = useBoardMoments(state, () => shared.runningCount > 0)
  useEffect(() => {
    // Answers of other moments are of no more use.
    if (moments !== undefined) shared.forget()
  }, [moments, shared])
  const { org } = useHere()
  const { data: buckets } = useBuckets(org.id)
  const { data: all } = useVariables(org.id)
  const { cells } = draft
  const { chosen, range } = state
  const { known, values } = useVariableValues({
    orgId: org.id,
    all,
    buckets,
    cells,
    chosen,
    range,
    shared,
  })
  const onZoom = useCallback(
    ({ from, to }: Moments) => change({ range: { kind: 'between', from, to } }),
    [change],
  )
  const board = useMemo(
    (): Board => ({
      id,
      orgId: org.id,
      range,
      moments,
      onZoom,
      onZoomBack: back,
      values: buckets === undefined ? undefined : values,
      buckets: buckets ?? [],
      shared,
    }),
    [id, org.id, range, moments, onZoom, back, values, buckets, shared],
  )
  const actions = useCellActions(editing, setOpened)
  const frame = useRef<HTMLDivElement>(null)
  useBoardKeys(editing)
  const onMove = useCallback(
    (moved: readonly Cell[]) => editing.edit({ cells: moved }),
    [editing.edit],
  )
  return (
    <BoardContext.Provider value={board}>
      <div className="board" ref={frame}>
        <Page
          title={draft.name}
          isWide
          actions={
            <BoardTools
              state={state}
              onChange={change}
              onRefresh={refresh}
              dashboard={dashboard}
              isEditing={history !== undefined}
              onEdit={editing.start}
              onFullScreen={() => void frame.current?.requestFullscreen?.()}
            />
          }
        >
          {draft.description !== '' && <p className="muted board-about">{draft.description}</p>}
          <VariablesBar
            known={known}
            onChoose={(name, label) => change({ chosen: { ...chosen, [name]: label } })}
          />
          {history !== undefined && (
            <EditBar
              draft={draft}
              history={history}
              isSaving={editing.isSaving}
              onChange={editing.edit}
              onUndo={editing.undo}
              onRedo={editing.redo}
              onDiscard={editing.discard}
              onSave={editing.save}
              onOpen={setOpened}
            />
          )}
          {cells.length === 0 ? (
            <NoCells isEditing={history !== undefined} onEdit={editing.start} />
          ) : (
            <CellGrid
              cells={cells}
              actions={actions}
              onMove={history === undefined ? undefined : onMove}
            />
          )}
        </Page>
      </div>
      <BoardDialogs
        opened={opened}
        draft={draft}
        dashboardId={id}
        onClose={() => setOpened(undefined)}
        onChange={editing.edit}
      />
    </BoardContext.Provider>
  )
}

function NoCells({ isEditing, onEdit }: { isEditing: boolean; onEdit: () => void }) {
  const { isAllowed } = useMay('write', 'dashboards')
  return (
    <Empty
      title="No cells yet"
      action={
        isEditing || !isAllowed ? undefined : (
          <button type="button" className="text-button" onClick={onEdit}>
            Edit this dashboard
          </button>
        )
      }
    >
      A cell shows what a query answers. Make one here, or save one from the explorer.
    </Empty>
  )
}

function useCellActions({ draft, edit }: Editing, open: (opened: Opened) => void): CellActions {
  const { cells } = draft
  return {
    onFullScreen: (cell) => open({ kind: 'full', cell }),
    onShowQuery: (cell) => open({ kind: 'query', cell }),
    onCopyTo: (cell) => open({ kind: 'copy', cell }),
    onEdit: (cell) => open({ kind: 'edit', cell }),
    onArrange: (cell) => open({ kind: 'arrange', cell }),
    onDuplicate: (cell) => {
      const { w, h, name, properties } = cell
      edit({ cells: [...cells, { ...newCell(`${name} copy`, properties, cells), w, h }] })
    },
    onRemove: ({ id }) => edit({ cells: cells.filter((cell) => cell.id !== id) }),
  }
}
