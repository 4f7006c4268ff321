// The checks: what each looks at and how often. One is made and
// changed on a page of its own.

import { useLocation } from 'wouter'
import { type Check, useDefinitions } from '../api/alerts.js'
import { examples } from '../parts/examples.js'
import { Link } from '../parts/link.js'
import { MayButton } from '../parts/may-button.js'
import { Empty, Loaded } from '../parts/states.js'
import { useHere, useMay } from '../shell/here.js'
import { DefinitionList } from './definition-list.js'
import { LevelMark } from './level-mark.js'

export function ChecksTab() {
  const { org } = useHere()
  const found = useDefinitions('checks', org.id)
  const { lacking } = useMay('write', 'checks')
  const [, go] = useLocation()
  const add = (
    <MayButton lacking={lacking} icon="plus" onClick={() => go('/alerts/checks/new')}>
      New check
    </MayButton>
  )
  return (
    <div className="stack">
      <Loaded of={found} what="checks">
        {(list) =>
          list.length === 0 ? (
            <Empty title="No check yet" action={add} example={examples.check(org.id)}>
              A check looks at a query at each interval and gives every series a level.
            </Empty>
          ) : (
            <DefinitionList
              kind="checks"
              noun="check"
              add={add}
              list={list}
              lacking={lacking}
              name={({ id, name }) => <Link href={`/alerts/checks/${id}`}>{name}</Link>}
              columns={[
                ['Every', ({ every }: Check) => every ?? 'as its script says'],
                ['Levels', Levels],
              ]}
            />
          )
        }
      </Loaded>
    </div>
  )
}

function Levels({ type, thresholds = [], level = 'CRIT', timeSince = '90s' }: Check) {
  if (type === 'custom') return 'as its script says'
  if (type === 'deadman') {
    return (
      <>
        <LevelMark level={level} /> silent for {timeSince}
      </>
    )
  }
  return (
    <span className="row">
      {thresholds.map(({ level: named, type: kind, value, min, max, within }) => (
        <span key={`${named} ${kind} ${value} ${min}`}>
          <LevelMark level={named} />{' '}
          <span className="mono">
            {kind === 'range'
              ? `${within ? 'within' : 'outside'} ${min}…${max}`
              : `${kind === 'greater' ? '>' : '<'} ${value}`}
          </span>
        </span>
      ))}
    </span>
  )
}
