// What the explorer shows, all of it in the URL: language, bucket, range, text, view. The text is the builder's as
// long as nobody edits it; what was edited is a draft of its language, which the builder never overwrites.

import { useCallback, useMemo, useState } from 'react'
import { isLanguage, type Language } from '../query/language.js'
import { emptyModel, type Model } from '../query/model.js'
import { printModel } from '../query/print.js'
import { readModel } from '../query/read.js'
import { defaultRange, parseRange, printRange, type TimeRange } from '../query/time-range.js'

export type View = 'chart' | 'table' | 'raw' | 'plan'

export interface ExploreState {
  readonly language: Language
  /** By name; undefined: the first there is. */
  readonly bucket: string | undefined
  readonly range: TimeRange
  readonly view: View
  readonly model: Model
  readonly drafts: Readonly<Partial<Record<Language, string>>>
}

const views: readonly View[] = ['chart', 'table', 'raw', 'plan']

export function readState(search: string): ExploreState {
  const parameters = new URLSearchParams(search)
  const language = parameters.get('l')
  const bucket = parameters.get('b') ?? undefined
  const view = parameters.get('v') as View
  const text = parameters.get('q')
  const chosen = isLanguage(language) ? language : rememberedLanguage()
  const read = text === null ? undefined : readModel(text, chosen, bucket ?? '')
  return {
    language: chosen,
    bucket: read?.bucket || bucket,
    range: parseRange(parameters.get('r')) ?? defaultRange,
    view: views.includes(view) ? view : 'chart',
    model: read ?? { ...emptyModel(bucket ?? ''), measurement: parameters.get('m') ?? '' },
    drafts: text === null ? {} : { [chosen]: text },
  }
}

export function printState(state: ExploreState): string {
  const { language, bucket, range, view } = state
  const parameters = new URLSearchParams({ l: language })
  if (bucket !== undefined) parameters.set('b', bucket)
  parameters.set('r', printRange(range))
  if (view !== 'chart') parameters.set('v', view)
  parameters.set('q', textOf(state))
  return `?${parameters}`
}

export function textOf({ drafts, language, model }: ExploreState): string {
  return drafts[language] ?? printModel(model, language)
}

/** Whether the text is the builder's own. */
export function isBuilt({ drafts, language }: ExploreState): boolean {
  return drafts[language] === undefined
}

/** Whether text and builder say the same, by whomever it was written. */
export function isInStep(state: ExploreState): boolean {
  const { drafts, language, bucket = '' } = state
  const draft = drafts[language]
  return draft === undefined || readModel(draft, language, bucket) !== undefined
}

const languageKey = 'millrace-language'

function rememberedLanguage(): Language {
  const remembered = localStorage.getItem(languageKey)
  return isLanguage(remembered) ? remembered : 'influxql'
}

export type Change = (change: Partial<ExploreState>) => void

export function useExploreState() {
  const [state, setState] = useState(() => readState(location.search))
  const change: Change = useCallback((part) => {
    if (part.language !== undefined) localStorage.setItem(languageKey, part.language)
    setState((before) => changedState(before, part))
  }, [])
  const edit = useCallback((text: string) => setState((before) => editedState(before, text)), [])
  return useMemo(() => ({ state, change, edit }), [state, change, edit])
}

function without(drafts: ExploreState['drafts'], language: Language): ExploreState['drafts'] {
  const { [language]: _, ...others } = drafts
  return others
}

/** A model that was made before the buckets were known is of the one that is open. */
function withBucket(model: Model, bucket: string | undefined): Model {
  return model.bucket === '' && bucket !== undefined ? { ...model, bucket } : model
}

/** A choice in the tree writes the text anew where the two were in step. */
export function changedState(before: ExploreState, part: Partial<ExploreState>): ExploreState {
  const after = { ...before, ...part, model: withBucket(part.model ?? before.model, part.bucket) }
  if (part.model === undefined || part.drafts !== undefined || !isInStep(before)) return after
  return { ...after, drafts: without(before.drafts, before.language) }
}

/** Typed text waits for Run, so it is a draft even where it says what the builder can show. */
export function editedState(before: ExploreState, text: string): ExploreState {
  const { language, drafts } = before
  const others = without(drafts, language)
  if (text === printModel(before.model, language)) return { ...before, drafts: others }
  const model = readModel(text, language, before.bucket ?? before.model.bucket) ?? before.model
  // Flux names its bucket itself.
  const bucket = model.bucket === '' ? before.bucket : model.bucket
  return { ...before, bucket, model, drafts: { ...others, [language]: text } }
}
