// The text editor of queries: CodeMirror with our colours, completion of names from the schema, and the mistakes that
// the service's own parser finds, marked where they are. Esc, then Tab leaves it.

import {
  autocompletion,
  type Completion,
  type CompletionContext,
  closeBrackets,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import {
  bracketMatching,
  HighlightStyle,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language'
import { type Diagnostic, linter } from '@codemirror/lint'
import { Compartment, EditorState, Prec } from '@codemirror/state'
import { drawSelection, EditorView, keymap, lineNumbers, placeholder } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'
import { requestJson } from '../api/http.js'
import type { Language } from '../query/language.js'
import { modeOf } from './modes.js'

export interface EditorProps {
  readonly language: Language
  readonly value: string
  readonly onChange: (value: string) => void
  readonly onRun?: () => void
  readonly names?: readonly Completion[]
  readonly label: string
  readonly hint?: string
  /** InfluxQL and Flux are checked by the service as they are typed. */
  readonly isChecked?: boolean
}

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--code-keyword)', fontWeight: '600' },
  { tag: tags.string, color: 'var(--code-string)' },
  { tag: [tags.number, tags.atom, tags.bool], color: 'var(--code-number)' },
  { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
  { tag: [tags.function(tags.variableName), tags.standard(tags.name)], color: 'var(--code-call)' },
  { tag: tags.propertyName, color: 'var(--code-name)' },
  { tag: tags.regexp, color: 'var(--code-string)' },
  { tag: tags.special(tags.name), color: 'var(--code-number)' },
])

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', backgroundColor: 'var(--page)', color: 'var(--text)' },
  '.cm-content': { fontFamily: 'var(--mono)', caretColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--muted)', border: 'none' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--panel)',
    border: '1px solid var(--line)',
    color: 'var(--text)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--page)',
  },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--selection) !important',
  },
})

export function Editor(props: EditorProps) {
  const frame = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const latest = useRef(props)
  latest.current = props
  const mode = useRef(new Compartment())

  // biome-ignore lint/correctness/useExhaustiveDependencies: made once; later values are brought in below
  useEffect(() => {
    const made = new EditorView({
      parent: frame.current!,
      state: EditorState.create({ doc: props.value, extensions: extensions(latest, mode.current) }),
    })
    view.current = made
    return () => made.destroy()
  }, [])

  const { language, label } = props
  useEffect(() => {
    const parts = languageParts({ language, label })
    view.current?.dispatch({ effects: mode.current.reconfigure(parts) })
  }, [language, label])

  useEffect(() => {
    const made = view.current
    if (made === null || made.state.doc.toString() === props.value) return
    made.dispatch({ changes: { from: 0, to: made.state.doc.length, insert: props.value } })
  }, [props.value])

  return <div className="editor" ref={frame} />
}

function languageParts({ language, label }: Pick<EditorProps, 'language' | 'label'>) {
  return [modeOf(language), EditorView.contentAttributes.of({ 'aria-label': label })]
}

type Latest = { readonly current: EditorProps }

function extensions(latest: Latest, mode: Compartment) {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content ?? ''
  const { hint = '', isChecked = true } = latest.current
  return [
    EditorView.cspNonce.of(nonce),
    Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => run(latest) }])),
    lineNumbers(),
    history(),
    drawSelection(),
    bracketMatching(),
    closeBrackets(),
    indentUnit.of('  '),
    mode.of(languageParts(latest.current)),
    syntaxHighlighting(colours),
    autocompletion({ override: [(context) => complete(context, latest)] }),
    ...(isChecked ? [linter((made) => check(made, latest), { delay: 400 })] : []),
    keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
    placeholder(hint),
    EditorView.lineWrapping,
    EditorView.updateListener.of((update) => {
      if (update.docChanged) latest.current.onChange(update.state.doc.toString())
    }),
    theme,
  ]
}

function run(latest: Latest): boolean {
  latest.current.onRun?.()
  return true
}

function complete(context: CompletionContext, latest: Latest) {
  const word = context.matchBefore(/[\w$]+/)
  if (word === null && !context.explicit) return null
  return {
    from: word?.from ?? context.pos,
    options: [...(latest.current.names ?? [])],
    validFor: /^[\w$]*$/,
  }
}

interface Finding {
  readonly line: number
  readonly column: number
  readonly message: string
}

async function check(made: EditorView, latest: Latest): Promise<Diagnostic[]> {
  const { language } = latest.current
  const text = made.state.doc.toString()
  if (language === 'sql' || text.trim() === '') return []
  const query = language === 'influxql' ? withLiterals(text) : text
  const json = { type: language, query }
  try {
    const { errors } = await requestJson<{ errors: Finding[] | null }>('api/v2/query/analyze', {
      json,
    })
    return (errors ?? []).filter(isOurs).map((finding) => diagnosticOf(made, finding))
  } catch {
    // What cannot be asked now is asked when the text is run.
    return []
  }
}

/** `v` comes with the request. */
function isOurs({ message }: Finding): boolean {
  return !/undefined identifier "?v"?/.test(message)
}

/** Placeholders as literals of the same length, so that places stay right. */
function withLiterals(text: string): string {
  return text.replaceAll('$timeFilter', 'time > 0000').replaceAll('$window', '100000s')
}

function diagnosticOf(made: EditorView, { line, column, message }: Finding): Diagnostic {
  const { doc } = made.state
  const at = doc.line(Math.min(Math.max(line, 1), doc.lines))
  const from = Math.min(at.from + Math.max(column - 1, 0), at.to)
  const word = /^\w+/.exec(doc.sliceString(from, at.to))?.[0].length ?? 1
  return { from, to: Math.min(from + word, doc.length), severity: 'error', message }
}
