// Which level a value gets, or how long a series may be silent, and the message that goes
// with it.

import { Button, NumberInput, Select, TextInput } from '@mantine/core'
import type { Level, Threshold } from '../api/alerts.js'
import { Icon } from '../parts/icons.js'
import type { CheckDraft } from './check-draft.js'
import { levels } from './level-mark.js'

export interface CheckLevelsProps {
  readonly draft: CheckDraft
  readonly onChange: (part: Partial<CheckDraft>) => void
}

export function CheckLevels({ draft, onChange }: CheckLevelsProps) {
  return (
    <div className="stack">
      {draft.type === 'threshold' ? (
        <Thresholds list={draft.thresholds} onChange={(thresholds) => onChange({ thresholds })} />
      ) : (
        <div className="fields-3">
          <TextInput
            label="Silent for"
            value={draft.timeSince}
            onChange={(event) => onChange({ timeSince: event.currentTarget.value })}
          />
          <Select
            label="is"
            data={[...levels]}
            value={draft.level}
            onChange={(level) => onChange({ level: level as Level })}
          />
        </div>
      )}
      <TextInput
        label="Message"
        classNames={{ input: 'mono' }}
        description="Flux fills in ${ r.tag } and ${ string(v: r.field) }."
        value={draft.message}
        onChange={(event) => onChange({ message: event.currentTarget.value })}
      />
    </div>
  )
}

const tests = [
  { value: 'greater', label: 'above' },
  { value: 'lesser', label: 'below' },
  { value: 'inside', label: 'within' },
  { value: 'outside', label: 'outside of' },
]

interface ThresholdsProps {
  readonly list: readonly Threshold[]
  readonly onChange: (list: readonly Threshold[]) => void
}

function Thresholds({ list, onChange }: ThresholdsProps) {
  const set = (index: number, threshold: Threshold) =>
    onChange(list.map((one, i) => (i === index ? threshold : one)))
  return (
    <fieldset className="stack plain">
      <legend className="hidden-text">Levels</legend>
      {list.map((threshold, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no names; rows are only added at the end
        <div key={index} className="row threshold">
          <Select
            aria-label={`Level ${index + 1}`}
            w={120}
            data={[...levels]}
            value={threshold.level}
            onChange={(level) => set(index, { ...threshold, level: level as Level })}
          />
          <Select
            aria-label={`Test of level ${index + 1}`}
            w={120}
            data={tests}
            value={testOf(threshold)}
            onChange={(test) => set(index, tested(threshold, test ?? 'greater'))}
          />
          {threshold.type === 'range' ? (
            <>
              <NumberInput
                aria-label={`From, level ${index + 1}`}
                w={110}
                value={threshold.min ?? 0}
                onChange={(min) => set(index, { ...threshold, min: Number(min) })}
              />
              <NumberInput
                aria-label={`To, level ${index + 1}`}
                w={110}
                value={threshold.max ?? 0}
                onChange={(max) => set(index, { ...threshold, max: Number(max) })}
              />
            </>
          ) : (
            <NumberInput
              aria-label={`Value of level ${index + 1}`}
              w={120}
              value={threshold.value ?? 0}
              onChange={(value) => set(index, { ...threshold, value: Number(value) })}
            />
          )}
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            aria-label={`Take level ${index + 1} away`}
            disabled={list.length === 1}
            onClick={() => onChange(list.filter((_, i) => i !== index))}
          >
            <Icon name="close" size={14} />
          </Button>
        </div>
      ))}
      <div>
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => onChange([...list, { type: 'greater', level: 'WARN', value: 80 }])}
        >
          Another level
        </Button>
      </div>
    </fieldset>
  )
}

function testOf({ type, within }: Threshold): string {
  if (type !== 'range') return type
  return within ? 'inside' : 'outside'
}

function tested({ level, value, min, max }: Threshold, test: string): Threshold {
  if (test === 'greater' || test === 'lesser')
    return { type: test, level, value: value ?? min ?? 0 }
  const from = min ?? value ?? 0
  return { type: 'range', level, min: from, max: max ?? from, within: test === 'inside' }
}
