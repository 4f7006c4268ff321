// The rules: which statuses are told to which endpoint. One is made and
// changed in a dialog.

import { useState } from 'react'
import { type Endpoint, type Rule, useDefinitions } from '../api/alerts.js'
import { Dialog } from '../parts/dialog.js'
import { examples } from '../parts/examples.js'
import { Link } from '../parts/link.js'
import { MayButton } from '../parts/may-button.js'
import { Empty, Loaded } from '../parts/states.js'
import { useChange } from '../parts/use-change.js'
import { useHere, useMay } from '../shell/here.js'
import { DefinitionList } from './definition-list.js'
import { RuleForm } from './rule-form.js'

export function RulesTab() {
  const { org } = useHere()
  const found = useDefinitions('notificationRules', org.id)
  const endpoints = useDefinitions('notificationEndpoints', org.id)
  const { lacking } = useMay('write', 'notificationRules')
  const { change } = useChange('notificationRules')
  const [edited, setEdited] = useState<Rule | 'new'>()
  const close = () => {
    setEdited(undefined)
    void change(() => Promise.resolve())
  }
  const add = (
    <MayButton lacking={lacking} icon="plus" onClick={() => setEdited('new')}>
      New rule
    </MayButton>
  )
  return (
    <Loaded of={endpoints} what="endpoints">
      {(known) =>
        known.length === 0 ? (
          <Empty
            title="A rule needs an endpoint"
            action={<Link href="/alerts/endpoints">Make one first</Link>}
            example={examples.endpoint(org.id)}
          >
            A rule says which statuses are told, an endpoint where.
          </Empty>
        ) : (
          <div className="stack">
            <Loaded of={found} what="rules">
              {(list) =>
                list.length === 0 ? (
                  <Empty title="No rule yet" action={add} example={examples.rule(org.id, known[0])}>
                    Without one, statuses are kept and shown, and nobody is told.
                  </Empty>
                ) : (
                  <DefinitionList
                    kind="notificationRules"
                    noun="rule"
                    add={add}
                    list={list}
                    lacking={lacking}
                    name={({ name }) => name}
                    columns={[
                      ['Tells', ruleText],
                      ['To', (rule: Rule) => nameOf(known, rule.endpointID)],
                    ]}
                    onEdit={setEdited}
                  />
                )
              }
            </Loaded>
            <Dialog
              opened={edited !== undefined}
              onClose={() => setEdited(undefined)}
              title={edited === 'new' ? 'New rule' : 'Change the rule'}
              size="lg"
            >
              {edited !== undefined && (
                <RuleForm
                  rule={edited === 'new' ? undefined : edited}
                  endpoints={known}
                  onDone={close}
                />
              )}
            </Dialog>
          </div>
        )
      }
    </Loaded>
  )
}

function nameOf(endpoints: readonly Endpoint[], id: string): string {
  return endpoints.find((endpoint) => endpoint.id === id)?.name ?? id
}

export function ruleText({ statusRules = [], tagRules = [], repeatEvery }: Rule): string {
  const levels = statusRules.map(({ currentLevel = 'ANY', previousLevel }) => {
    const now = currentLevel === 'ANY' ? 'every level' : currentLevel
    return previousLevel === undefined
      ? now
      : `${previousLevel === 'ANY' ? 'changes' : previousLevel} → ${now}`
  })
  const tags = tagRules.map(({ key, value, operator = 'equal' }) => {
    const sign = { equal: '=', notequal: '≠', equalregex: '~', notequalregex: '≁' }[operator]
    return `${key} ${sign ?? operator} ${value}`
  })
  const where = tags.length === 0 ? '' : ` where ${tags.join(' and ')}`
  const again = repeatEvery === undefined ? '' : `, again every ${repeatEvery}`
  return `${levels.join(', ')}${where}${again}`
}
