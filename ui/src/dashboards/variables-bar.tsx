// The variables that the cells use, each with the values to choose from. A choice is kept in the URL
// and nowhere else.

import { Select, Tooltip } from '@mantine/core'
import { countText } from '../parts/figures.js'
import { Icon } from '../parts/icons.js'
import { optionsMax, type VariableOptions } from './variable-values.js'

export interface VariablesBarProps {
  readonly known: readonly VariableOptions[]
  readonly onChoose: (name: string, label: string) => void
}

export function VariablesBar({ known, onChoose }: VariablesBarProps) {
  if (known.length === 0) return null
  return (
    <div className="row variables" role="group" aria-label="Variables">
      {known.map((one) => (
        <VariableSelect key={one.variable.id} {...one} onChoose={onChoose} />
      ))}
    </div>
  )
}

type VariableSelectProps = VariableOptions & Pick<VariablesBarProps, 'onChoose'>

function VariableSelect({ variable, options, failure, chosen, onChoose }: VariableSelectProps) {
  const { name } = variable
  // The kit refuses a list that names a value twice.
  const labels = [...new Set((options ?? []).map(({ label }) => label))]
  const isCut = labels.length >= optionsMax
  return (
    <div className="variable">
      <span className="small muted">{name}</span>
      <Select
        size="xs"
        w={150}
        aria-label={name}
        searchable
        limit={200}
        disabled={labels.length === 0}
        placeholder={options === undefined ? 'Loading…' : 'No values'}
        data={labels}
        value={chosen ?? null}
        nothingFoundMessage={
          isCut ? `Not among the first ${countText(optionsMax)}` : 'No such value'
        }
        onChange={(label) => label !== null && onChoose(name, label)}
      />
      {failure !== undefined && (
        <Tooltip label={failure} multiline maw={400}>
          <span className="bad" role="img" aria-label={`${name}: ${failure}`}>
            <Icon name="warn" size={14} />
          </span>
        </Tooltip>
      )}
    </div>
  )
}
