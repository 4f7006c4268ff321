// The endpoints: where messages go. A message can be sent to each,
// to see whether it comes.

import { Button } from '@mantine/core'
import { useState } from 'react'
import { type Endpoint, sendTest, useDefinitions } from '../api/alerts.js'
import { Dialog } from '../parts/dialog.js'
import { examples } from '../parts/examples.js'
import { MayButton } from '../parts/may-button.js'
import { Empty, Loaded } from '../parts/states.js'
import { useChange } from '../parts/use-change.js'
import { useHere, useMay } from '../shell/here.js'
import { DefinitionList } from './definition-list.js'
import { EndpointForm } from './endpoint-form.js'
import { kindLabel } from './endpoint-kinds.js'

export function EndpointsTab() {
  const { org } = useHere()
  const found = useDefinitions('notificationEndpoints', org.id)
  const { lacking } = useMay('write', 'notificationEndpoints')
  const { change, isBusy } = useChange('notificationEndpoints')
  const [edited, setEdited] = useState<Endpoint | 'new'>()
  const send = ({ id, name }: Endpoint) =>
    change(async () => {
      const { sent, error } = await sendTest(id)
      if (!sent) throw new Error(`${name} did not take it: ${error}`)
    }, `${name} took a message`)
  const close = () => {
    setEdited(undefined)
    void change(() => Promise.resolve())
  }
  const add = (
    <MayButton lacking={lacking} icon="plus" onClick={() => setEdited('new')}>
      New endpoint
    </MayButton>
  )
  return (
    <div className="stack">
      <Loaded of={found} what="endpoints">
        {(list) =>
          list.length === 0 ? (
            <Empty title="No endpoint yet" action={add} example={examples.endpoint(org.id)}>
              An endpoint is where messages go: a web hook, a chat room, a mail server.
            </Empty>
          ) : (
            <DefinitionList
              kind="notificationEndpoints"
              noun="endpoint"
              add={add}
              list={list}
              lacking={lacking}
              hasRuns={false}
              name={({ name }) => name}
              columns={[
                ['Kind', ({ type }: Endpoint) => kindLabel(type)],
                ['Address', ({ url, host }: Endpoint) => String(url ?? host ?? '')],
              ]}
              onEdit={setEdited}
              actions={(endpoint) => (
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`Send a test to ${endpoint.name}`}
                  loading={isBusy}
                  disabled={lacking !== undefined}
                  onClick={() => send(endpoint)}
                >
                  Send a test
                </Button>
              )}
            />
          )
        }
      </Loaded>
      <Dialog
        opened={edited !== undefined}
        onClose={() => setEdited(undefined)}
        title={edited === 'new' ? 'New endpoint' : 'Change the endpoint'}
      >
        {edited !== undefined && (
          <EndpointForm endpoint={edited === 'new' ? undefined : edited} onDone={close} />
        )}
      </Dialog>
    </div>
  )
}
