// The text editor of queries: CodeMirror with our colours, completion of names from the schema, and mistakes marked
// where they are: those that the service's own parsers find here in the page at once, and what else the service finds
// shortly after. Esc, then Tab leaves it.

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
import { isCluster } from '../api/variant.js'
import { type FilledText, type Finding, filledText, offsetOf } from '../query/findings.js'
import type { Language } from '../query/language.js'
import type { KnownNames } from '../query/unknown-names.js'
import { modeOf } from './modes.js'

export interface EditorProps {
  readonly language: Language
  readonly value: string
  readonly onChange: (value: string) => void
  /** With what stands in the editor by then. */
  readonly onRun?: (text: string) => void
  readonly names?: readonly Completion[]
  readonly label: string
  readonly hint?: string
  /** Checked as it is typed, by the service's parsers in the page and then by the service. Default: yes. */
  readonly isChecked?: boolean
  /** Whose tables SQL is checked against. Absent: SQL is not checked. */
  readonly bucketId?: string | undefined
  /** What names in InfluxQL and Flux are compared with. Absent: they are not. */
  readonly known?: KnownNames | undefined
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
    // Below dialogs, which may open while it is shown.
    zIndex: '100',
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
    Prec.highest(keymap.of([{ key: 'Mod-Enter', run: (made) => run(made, latest) }])),
    lineNumbers(),
    history(),
    drawSelection(),
    bracketMatching(),
    closeBrackets(),
    indentUnit.of('  '),
    mode.of(languageParts(latest.current)),
    syntaxHighlighting(colours),
    autocompletion({ override: [(context) => complete(context, latest)] }),
    ...(isChecked ? [linter((made) => check(made, latest), { delay: 100 })] : []),
    keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
    placeholder(hint),
    EditorView.lineWrapping,
    EditorView.updateListener.of((update) => {
      if (update.docChanged) latest.current.onChange(update.state.doc.toString())
    }),
    theme,
  ]
}

function run(made: EditorView, latest: Latest): boolean {
  latest.current.onRun?.(made.state.doc.toString())
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

/** What only the service can tell it is asked for when nothing was typed for a while. */
const askedAfterMs = 300

async function check(made: EditorView, latest: Latest): Promise<Diagnostic[]> {
  const { language } = latest.current
  const { doc } = made.state
  const typed = doc.toString()
  if (typed.trim() === '') return []
  const filled = filledText(typed, language)
  const found = await checkHere(filled.text, language)
  const diagnostics = (findings: readonly Finding[]) =>
    findings.map((finding) => diagnosticOf(typed, filled, finding))
  if (found.length > 0) return diagnostics(found)
  await new Promise((resolve) => setTimeout(resolve, askedAfterMs))
  if (made.state.doc !== doc) return []
  try {
    const wrong = await askedMistakes(filled.text, latest.current)
    return diagnostics(wrong.length > 0 ? wrong : await doubts(filled.text, latest.current))
  } catch {
    // What cannot be asked now is asked when the text is run.
    return []
  }
}

async function askedMistakes(
  query: string,
  { language, bucketId }: EditorProps,
): Promise<readonly Finding[]> {
  if ((language === 'sql' && bucketId === undefined) || isCluster()) return []
  const json = { type: language, query, bucket: bucketId }
  const path = 'api/v2/query/analyze'
  const { errors } = await requestJson<{ errors: Finding[] | null }>(path, { json })
  return (errors ?? []).filter(isOurs)
}

async function doubts(text: string, { language, known }: EditorProps): Promise<Finding[]> {
  if (language === 'sql' || known === undefined) return []
  const { unknownFlux, unknownInfluxql } = await import('../query/unknown-names.js')
  return language === 'flux' ? unknownFlux(text, known) : unknownInfluxql(text, known)
}

async function checkHere(text: string, language: Language): Promise<readonly Finding[]> {
  if (language === 'sql') return []
  const { checkFlux, checkInfluxql } = await import('../query/check-text.js')
  return language === 'flux' ? checkFlux(text) : checkInfluxql(text)
}

/** `v` comes with the request. */
function isOurs({ message }: Finding): boolean {
  return !/undefined identifier "?v"?/.test(message)
}

function diagnosticOf(typed: string, filled: FilledText, finding: Finding): Diagnostic {
  const { message } = finding
  const severity = finding.isDoubt === true ? 'warning' : 'error'
  const place = offsetOf(filled.text, finding)
  if (place === undefined) return { from: 0, to: typed.length, severity, message }
  const from = Math.min(filled.originalOf(place), typed.length)
  const word = /^(?:\w+|"(?:[^"\\\n]|\\.)*")/.exec(typed.slice(from))?.[0].length ?? 1
  const to = Math.min(from + word, typed.length)
  // At the end there is nothing to underline: the last character stands for it.
  return { from: Math.min(from, Math.max(to - 1, 0)), to, severity, message }
}
