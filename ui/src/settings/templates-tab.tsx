// Templates: one is applied, everything is taken along as one, and what each that was applied has made is listed, so
// that it can be taken away together.

import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { removeStack, type Stack, useStacks } from '../api/templates.js'
import { examples } from '../parts/examples.js'
import { agoText, plural } from '../parts/figures.js'
import { MayButton } from '../parts/may-button.js'
import { Empty, Loaded } from '../parts/states.js'
import { SureButton } from '../parts/sure-button.js'
import { useChange } from '../parts/use-change.js'
import { useHere, useMay } from '../shell/here.js'
import { saveTemplate } from '../shell/save-template.js'
import { useTemplates } from '../shell/template-drop.js'

export function TemplatesTab() {
  const { org } = useHere()
  const { lacking } = useMay('write', 'orgs')
  const { choose } = useTemplates()
  return (
    <div className="stack">
      <div className="row">
        <MayButton lacking={lacking} icon="plus" onClick={choose}>
          Apply a template
        </MayButton>
        <Button
          variant="default"
          onClick={() => void saveTemplate({ orgIDs: [{ orgID: org.id }] }, org.name)}
        >
          Everything as a template
        </Button>
      </div>
      <Loaded of={useStacks(org.id)} what="templates">
        {(all) => {
          const there = all.filter(({ resources }) => resources.length > 0)
          if (there.length > 0) return <Stacks stacks={there} lacking={lacking} />
          return (
            <Empty title="No template applied yet" example={examples.template(org.id)}>
              A template is a file of dashboards, checks, tasks and what they need. Drop one on the
              window: you see what it makes before it does.
            </Empty>
          )
        }}
      </Loaded>
    </div>
  )
}

interface StacksProps {
  readonly stacks: readonly Stack[]
  readonly lacking: string | undefined
}

function Stacks({ stacks, lacking }: StacksProps) {
  return (
    <div className="table-scroll">
      <table className="plain-table">
        <thead>
          <tr>
            <th>Template</th>
            <th>Has made</th>
            <th>Applied</th>
            <th>
              <span className="hidden-text">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {stacks.map((stack) => (
            <Row key={stack.id} stack={stack} lacking={lacking} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ stack, lacking }: { readonly stack: Stack; readonly lacking: string | undefined }) {
  const client = useQueryClient()
  const { change } = useChange()
  const { id, updatedAt } = stack
  const name = nameOf(stack)
  const takeAway = async () => {
    if (!(await change(() => removeStack(id), `What ${name} has made is gone`))) return
    // It was in lists of every kind.
    await client.invalidateQueries()
  }
  return (
    <tr>
      <td>{name}</td>
      <td>{contentsOf(stack)}</td>
      <td>{agoText(updatedAt)}</td>
      <td>
        <span className="row row-tight row-right">
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Export ${name}`}
            onClick={() => void saveTemplate({ stackID: id }, name)}
          >
            Export
          </Button>
          <SureButton
            label={`Take away what ${name} has made`}
            text="Take away"
            isDisabled={lacking !== undefined}
            onSure={() => void takeAway()}
          />
        </span>
      </td>
    </tr>
  )
}

/** Most have no name of their own: then that of what they made first. */
function nameOf({ name, resources }: Stack): string {
  return name || (resources[0]?.templateMetaName ?? '')
}

function contentsOf({ resources }: Stack): string {
  const counts = new Map<string, number>()
  for (const { kind } of resources) {
    const word = wordOf(kind)
    counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return [...counts].map(([word, count]) => plural(count, word)).join(', ')
}

/** `NotificationEndpointSlack` is a notification endpoint. */
function wordOf(kind: string): string {
  if (kind === 'Telegraf') return 'Telegraf configuration'
  const [general] = /^(?:Check|NotificationEndpoint|NotificationRule)|.*/.exec(kind) ?? [kind]
  return general.replace(/(?<=.)[A-Z]/g, (letter) => ` ${letter}`).toLowerCase()
}
