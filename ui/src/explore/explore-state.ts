// What the explorer shows, all of it in the URL: language, bucket, range, text, view. The text is the builder's as
// long as nobody edits it; what was edited is a draft of its language, which the builder never overwrites.

import { useCallback, useMemo, useState } from 'react'
import { isLanguage, type Language } from '../query/language.js'
import { emptyModel, type Model } from '../query/model.js'
import { printModel } from '../query/print.js'
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
  return {
    language: chosen,
    bucket,
    range: parseRange(parameters.get('r')) ?? defaultRange,
    view: views.includes(view) ? view : 'chart',
    model: { ...emptyModel(bucket ?? ''), measurement: parameters.get('m') ?? '' },
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

export function isBuilt({ drafts, language }: ExploreState): boolean {
  return drafts[language] === undefined
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
    setState((before) => ({ ...before, ...part }))
  }, [])
  const edit = useCallback((text: string) => {
    setState((before) => {
      const { language, drafts, model } = before
      const { [language]: _, ...others } = drafts
      const isOwn = text === printModel(model, language)
      return { ...before, drafts: isOwn ? others : { ...others, [language]: text } }
    })
  }, [])
  return useMemo(() => ({ state, change, edit }), [state, change, edit])
}
