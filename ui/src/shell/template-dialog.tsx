// What a template will make, kind by kind, and what it will change; values for the places that it leaves open; and
// then making it. Nothing is made before.

import { Button, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { dashboards } from '../api/dashboards.js'
import { applyTemplate, type TemplateDifference, type TemplateSummary } from '../api/templates.js'
import { Dialog } from '../parts/dialog.js'
import { plural } from '../parts/figures.js'
import { Loaded } from '../parts/states.js'
import { done, failed } from '../parts/toasts.js'
import { useHere } from './here.js'
import type { TemplateFile } from './template-drop.js'

export interface TemplateDialogProps {
  readonly files: readonly TemplateFile[]
  readonly onClose: () => void
}

export function TemplateDialog({ files, onClose }: TemplateDialogProps) {
  const { org } = useHere()
  const client = useQueryClient()
  const [, go] = useLocation()
  const [envRefs, setEnvRefs] = useState<Readonly<Record<string, string>>>({})
  const [isBusy, setBusy] = useState(false)
  const texts = files.map(({ text }) => text)
  const preview = useQuery({
    queryKey: ['template', org.id, texts],
    queryFn: () => applyTemplate({ orgID: org.id, texts, envRefs: {}, isDryRun: true }),
    staleTime: 0,
    gcTime: 0,
  })
  const apply = async () => {
    setBusy(true)
    try {
      await applyTemplate({ orgID: org.id, texts, envRefs, isDryRun: false })
      done('The template is applied')
      onClose()
      await client.invalidateQueries()
      const made = preview.data?.diff.dashboards?.[0]?.new?.name
      const found = (await dashboards(org.id)).find(({ name }) => name === made)
      if (found !== undefined) go(`/dashboards/${found.id}`)
    } catch (error) {
      failed(error, 'Template')
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog opened onClose={onClose} size="lg" title={files.map(({ name }) => name).join(', ')}>
      <Loaded of={preview} what="Template">
        {(summary) => (
          <div className="stack">
            <Kinds summary={summary} />
            <OpenPlaces
              names={summary.summary.missingEnvRefs ?? []}
              values={envRefs}
              onChange={setEnvRefs}
            />
            {(summary.summary.missingSecrets ?? []).length > 0 && (
              <p className="warn">
                It uses secrets that are not there yet: {summary.summary.missingSecrets?.join(', ')}
              </p>
            )}
            <div className="row">
              <Button loading={isBusy} onClick={() => void apply()}>
                Apply
              </Button>
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
            </div>
          </div>
        )}
      </Loaded>
    </Dialog>
  )
}

const kindNames: readonly (readonly [section: string, one: string])[] = [
  ['dashboards', 'dashboard'],
  ['variables', 'variable'],
  ['buckets', 'bucket'],
  ['labels', 'label'],
  ['tasks', 'task'],
  ['checks', 'check'],
  ['notificationEndpoints', 'notification endpoint'],
  ['notificationRules', 'notification rule'],
  ['telegrafConfigs', 'Telegraf configuration'],
]

function Kinds({ summary: { diff } }: { readonly summary: TemplateSummary }) {
  const found = kindNames.flatMap(([section, one]) => {
    const list = diff[section] ?? []
    return list.length === 0 ? [] : [{ one, list }]
  })
  if (found.length === 0) return <p>This template makes nothing.</p>
  return (
    <ul className="template-kinds">
      {found.map(({ one, list }) => (
        <li key={one}>
          <strong>{plural(list.length, one)}</strong>
          <ul>
            {list.map((item) => (
              <li key={`${item.kind} ${item.templateMetaName}`}>
                {item.new?.name ?? item.templateMetaName} <Status item={item} />
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  )
}

/** One that is there already is changed to what the template says. */
function Status({ item: { stateStatus } }: { readonly item: TemplateDifference }) {
  if (stateStatus === 'new') return <span className="small good">new</span>
  return (
    <span className="small warn">
      {stateStatus === 'remove' ? 'is removed' : 'there, is changed'}
    </span>
  )
}

interface OpenPlacesProps {
  readonly names: readonly string[]
  readonly values: Readonly<Record<string, string>>
  readonly onChange: (values: Readonly<Record<string, string>>) => void
}

function OpenPlaces({ names, values, onChange }: OpenPlacesProps) {
  if (names.length === 0) return null
  return (
    <fieldset>
      <legend>What it leaves open</legend>
      <div className="fields-2">
        {names.map((name) => (
          <TextInput
            key={name}
            label={name}
            value={values[name] ?? ''}
            onChange={(event) => {
              const { value } = event.currentTarget
              const { [name]: _, ...others } = values
              onChange(value === '' ? others : { ...others, [name]: value })
            }}
          />
        ))}
      </div>
    </fieldset>
  )
}
