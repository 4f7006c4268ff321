// What a status must be for a rule to tell of it: its level,
// the level before, and its tags.

import { Button, Select, TextInput } from '@mantine/core'
import type { StatusRule, TagRule } from '../api/alerts.js'
import { Icon } from '../parts/icons.js'
import { levels } from './level-mark.js'

export interface ConditionsProps<T> {
  readonly list: readonly T[]
  readonly onChange: (list: readonly T[]) => void
}

const nowChoices = [{ value: 'ANY', label: 'any level' }, ...levels.map(plainChoice)]
const beforeChoices = [
  { value: '', label: 'whatever it was' },
  { value: 'ANY', label: 'another level' },
  ...levels.map(plainChoice),
]

function plainChoice(value: string) {
  return { value, label: value }
}

export function StatusRules({ list, onChange }: ConditionsProps<StatusRule>) {
  const set = (index: number, rule: StatusRule) =>
    onChange(list.map((one, i) => (i === index ? rule : one)))
  return (
    <fieldset className="stack plain">
      <legend>Tells of a series that</legend>
      {list.map((rule, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no names; rows are only added at the end
        <div key={index} className="row">
          <span>is</span>
          <Select
            aria-label={`Level ${index + 1}`}
            w={130}
            data={nowChoices}
            value={rule.currentLevel ?? 'ANY'}
            onChange={(value) =>
              set(index, { ...rule, currentLevel: value as StatusRule['currentLevel'] })
            }
          />
          <span>and was</span>
          <Select
            aria-label={`Level before ${index + 1}`}
            w={150}
            data={beforeChoices}
            value={rule.previousLevel ?? ''}
            onChange={(value) => set(index, withBefore(rule, value ?? ''))}
          />
          <Away
            label={`Take status ${index + 1} away`}
            isDisabled={list.length === 1}
            onClick={() => onChange(list.filter((_, i) => i !== index))}
          />
        </div>
      ))}
      <Another onClick={() => onChange([...list, { currentLevel: 'WARN', previousLevel: 'ANY' }])}>
        Another status
      </Another>
    </fieldset>
  )
}

function withBefore(rule: StatusRule, level: string): StatusRule {
  const { previousLevel: _before, ...rest } = rule
  return level === '' ? rest : { ...rest, previousLevel: level as StatusRule['previousLevel'] }
}

const operators = [
  { value: 'equal', label: 'is' },
  { value: 'notequal', label: 'is not' },
  { value: 'equalregex', label: 'matches' },
  { value: 'notequalregex', label: 'does not match' },
]

export function TagRules({ list, onChange }: ConditionsProps<TagRule>) {
  const set = (index: number, rule: TagRule) =>
    onChange(list.map((one, i) => (i === index ? rule : one)))
  return (
    <fieldset className="stack plain">
      <legend>{list.length === 0 ? 'Of all series' : 'Of series where'}</legend>
      {list.map((rule, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they have no names; rows are only added at the end
        <div key={index} className="row">
          <TextInput
            aria-label={`Tag ${index + 1}`}
            placeholder="tag"
            w={130}
            value={rule.key}
            onChange={(event) => set(index, { ...rule, key: event.currentTarget.value })}
          />
          <Select
            aria-label={`Comparison of tag ${index + 1}`}
            w={140}
            data={operators}
            value={rule.operator ?? 'equal'}
            onChange={(operator) => set(index, { ...rule, operator: operator ?? 'equal' })}
          />
          <TextInput
            aria-label={`Value of tag ${index + 1}`}
            placeholder="value"
            w={150}
            value={rule.value}
            onChange={(event) => set(index, { ...rule, value: event.currentTarget.value })}
          />
          <Away
            label={`Take tag ${index + 1} away`}
            isDisabled={false}
            onClick={() => onChange(list.filter((_, i) => i !== index))}
          />
        </div>
      ))}
      <Another onClick={() => onChange([...list, { key: '', value: '', operator: 'equal' }])}>
        Only some tags
      </Another>
    </fieldset>
  )
}

interface AwayProps {
  readonly label: string
  readonly isDisabled: boolean
  readonly onClick: () => void
}

function Away({ label, isDisabled, onClick }: AwayProps) {
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-sm"
      aria-label={label}
      disabled={isDisabled}
      onClick={onClick}
    >
      <Icon name="close" size={14} />
    </Button>
  )
}

interface AnotherProps {
  readonly onClick: () => void
  readonly children: string
}

function Another({ onClick, children }: AnotherProps) {
  return (
    <div>
      <Button
        variant="default"
        size="xs"
        leftSection={<Icon name="plus" size={14} />}
        onClick={onClick}
      >
        {children}
      </Button>
    </div>
  )
}
