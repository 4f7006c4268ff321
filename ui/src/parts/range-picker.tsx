// Choosing a time range: usual lengths, or two moments. Steps
// back and out lie beside it, as keys do.

import { ActionIcon, Button, Menu, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import {
  momentsOf,
  pastChoices,
  rangeLabel,
  shifted,
  type TimeRange,
  zoomedOut,
} from '../query/time-range.js'
import { momentOfShown, shownDate } from '../query/time-zone.js'
import { Dialog } from './dialog.js'
import { DropDown } from './drop-down.js'
import { Icon } from './icons.js'
import { useKeys } from './keys.js'

export interface RangePickerProps {
  readonly range: TimeRange
  readonly onChange: (range: TimeRange) => void
}

export function RangePicker({ range, onChange }: RangePickerProps) {
  const [isCustom, setCustom] = useState(false)
  const shift = (steps: -1 | 1) => onChange(shifted(range, Date.now(), steps))
  const zoomOut = () => onChange(zoomedOut(range, Date.now()))
  useKeys({ 't ArrowLeft': () => shift(-1), 't ArrowRight': () => shift(1), 't z': zoomOut })
  return (
    <div className="row row-tight range-picker">
      <Step label="Earlier" icon="left" onClick={() => shift(-1)} />
      <DropDown
        position="bottom-end"
        width={200}
        button={
          <Button
            className="range-button"
            variant="default"
            size="xs"
            title={rangeLabel(range)}
            rightSection={<Icon name="down" size={12} />}
          >
            {rangeLabel(range)}
          </Button>
        }
      >
        {pastChoices.map((duration) => (
          <Menu.Item key={duration} onClick={() => onChange({ kind: 'past', duration })}>
            {rangeLabel({ kind: 'past', duration })}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => setCustom(true)}>Between two moments…</Menu.Item>
      </DropDown>
      <Step label="Later" icon="right" onClick={() => shift(1)} />
      <Step label="Zoom out" icon="zoomOut" onClick={zoomOut} />
      <Dialog opened={isCustom} onClose={() => setCustom(false)} title="Time range">
        <Moments
          range={range}
          onChoose={(chosen) => {
            setCustom(false)
            onChange(chosen)
          }}
        />
      </Dialog>
    </div>
  )
}

interface StepProps {
  readonly label: string
  readonly icon: 'left' | 'right' | 'zoomOut'
  readonly onClick: () => void
}

function Step({ label, icon, onClick }: StepProps) {
  return (
    <ActionIcon variant="default" size="md" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} size={14} />
    </ActionIcon>
  )
}

function Moments({ range, onChoose }: { range: TimeRange; onChoose: (range: TimeRange) => void }) {
  const { from, to } = momentsOf(range, Date.now())
  const [texts, setTexts] = useState({ from: localText(from), to: localText(to) })
  const [problem, setProblem] = useState<string>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const [from, to] = [new Date(texts.from), new Date(texts.to)]
    const chosen = { from: momentOfShown(from), to: momentOfShown(to) }
    if (Number.isNaN(chosen.from) || Number.isNaN(chosen.to)) setProblem('Both moments are needed.')
    else if (chosen.from >= chosen.to) setProblem('The first moment must be before the second.')
    else onChoose({ kind: 'between', ...chosen })
  }
  return (
    <form onSubmit={submit} className="stack">
      <TextInput
        type="datetime-local"
        step={1}
        label="From"
        value={texts.from}
        onChange={(event) => setTexts({ ...texts, from: event.currentTarget.value })}
      />
      <TextInput
        type="datetime-local"
        step={1}
        label="To"
        value={texts.to}
        error={problem}
        onChange={(event) => setTexts({ ...texts, to: event.currentTarget.value })}
      />
      <Button type="submit">Show</Button>
    </form>
  )
}

function localText(ms: number): string {
  const shown = shownDate(ms)
  const local = new Date(shown.getTime() - shown.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19)
}
