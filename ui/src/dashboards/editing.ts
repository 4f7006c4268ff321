// Editing a dashboard: the draft with its states before, saving it in one request, and the keys
// for all of it.

import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { type Cell, type Dashboard, saveDashboard } from '../api/dashboards.js'
import { isTyping, useKeys } from '../parts/keys.js'
import { done, failed } from '../parts/toasts.js'
import { changed, type EditHistory, redone, startOf, undone } from './edit-history.js'

/** What an edit changes. */
export interface Draft {
  readonly name: string
  readonly description: string
  readonly cells: readonly Cell[]
}

function draftOf({ name, description = '', cells }: Dashboard): Draft {
  return { name, description, cells }
}

const draftKey = (id: string) => `millrace-draft-${id}`

/** Whoever goes to another page of this window finds the edits again when they come back. */
function keepDraft(id: string, draft: Draft | undefined): void {
  try {
    if (draft === undefined) sessionStorage.removeItem(draftKey(id))
    else sessionStorage.setItem(draftKey(id), JSON.stringify(draft))
  } catch {
    // A full or forbidden store: the page asks before it is left.
  }
}

function keptDraft(id: string): Draft | undefined {
  try {
    const text = sessionStorage.getItem(draftKey(id))
    return text === null ? undefined : (JSON.parse(text) as Draft)
  } catch {
    return undefined
  }
}

export type Editing = ReturnType<typeof useEditing>

export function useEditing(dashboard: Dashboard) {
  const client = useQueryClient()
  const seen = useMemo(() => draftOf(dashboard), [dashboard])
  const [history, setHistory] = useState<EditHistory<Draft> | undefined>(() => {
    const kept = keptDraft(dashboard.id)
    return kept === undefined ? undefined : changed(startOf(seen), kept)
  })
  const [isSaving, setSaving] = useState(false)
  const draft = history?.present ?? seen
  const start = useCallback(() => setHistory((now) => now ?? startOf(seen)), [seen])
  const edit = useCallback(
    (part: Partial<Draft>) =>
      setHistory((now) => {
        const from = now ?? startOf(seen)
        return changed(from, { ...from.present, ...part })
      }),
    [seen],
  )
  const isChanged = history !== undefined && history.past.length > 0
  useEffect(
    () => keepDraft(dashboard.id, isChanged ? draft : undefined),
    [dashboard.id, isChanged, draft],
  )
  useEffect(() => {
    if (!isChanged) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isChanged])
  const save = async () => {
    if (!isChanged) {
      setHistory(undefined)
      return
    }
    setSaving(true)
    try {
      await saveDashboard(dashboard.id, draft)
      await client.invalidateQueries({ queryKey: ['dashboard', dashboard.id] })
      void client.invalidateQueries({ queryKey: ['dashboards'] })
      setHistory(undefined)
      done(`${draft.name} is saved`)
    } catch (error) {
      failed(error, 'Saving')
    } finally {
      setSaving(false)
    }
  }
  return {
    draft,
    history,
    isSaving,
    start,
    edit,
    save,
    undo: () => setHistory((now) => now && undone(now)),
    redo: () => setHistory((now) => now && redone(now)),
    discard: () => setHistory(undefined),
  }
}

/** `d e` edits, Ctrl S saves, Ctrl Z and Ctrl Shift Z go back and forth. */
export function useBoardKeys(editing: Editing): void {
  const latest = useRef(editing)
  latest.current = editing
  useKeys({ 'd e': editing.start })
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { save, undo, redo, history } = latest.current
      const isCommand = event.ctrlKey || event.metaKey
      const key = event.key.toLowerCase()
      if (isCommand && key === 's' && history !== undefined) {
        event.preventDefault()
        void save()
      } else if (isTyping(event.target)) return
      else if (isCommand && key === 'z') (event.shiftKey ? redo : undo)()
      else if (isCommand && key === 'y') redo()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
}
