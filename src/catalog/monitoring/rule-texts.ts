// The texts that a rule and its endpoint have templates for, as a script that fills them in: `params.rows` are the
// statuses to be told, each answered with one row of texts. Templates are Flux's own strings with `${…}` in them, in
// which `r` is the status.

import type { ScriptTools } from '../base/script-tools.js'
import type { EndpointBody } from './notification-endpoints.js'
import type { RuleBody } from './rule-fields.js'

export type TextName = 'text' | 'subject' | 'body' | 'content' | 'clientURL'

export interface TextTemplates {
  /** Those without anything to fill in. */
  readonly constants: Readonly<Partial<Record<TextName, string>>>
  /** undefined: all are constant. */
  readonly script: string | undefined
  /** What the script fills in. */
  readonly names: readonly TextName[]
}

export function ruleTexts(
  tools: ScriptTools,
  rule: RuleBody,
  endpoint: EndpointBody,
): TextTemplates {
  const { messageTemplate, subjectTemplate, bodyTemplate } = rule.fields
  const { contentTemplate, clientURL } = endpoint.fields
  const templates: [TextName, string | undefined][] = [
    ['text', messageTemplate],
    ['subject', subjectTemplate],
    ['body', bodyTemplate],
    ['content', contentTemplate],
    ['clientURL', clientURL],
  ]
  const constants: Partial<Record<TextName, string>> = {}
  const parts: string[] = []
  const names: TextName[] = []
  for (const [name, template] of templates) {
    if (template === undefined || template === '') continue
    if (template.includes('${')) {
      names.push(name)
      parts.push(`${name}: ${tools.quoted(template, 'template')}`)
    } else {
      constants[name] = template
    }
  }
  const script = `import "array"
array.from(rows: params.rows) |> map(fn: (r) => ({${parts.join(', ')}}))`
  return { constants, script: parts.length === 0 ? undefined : script, names }
}
