// The options of a cell's kind: unit and digits of a value, axes, geometry, colours and thresholds, columns. Only
// those that the kind has.

import { ActionIcon, Button, Checkbox, Select, Textarea, TextInput } from '@mantine/core'
import type { ViewProperties } from '../api/dashboards.js'
import type { ViewKind } from '../api/new-cells.js'
import { Icon } from '../parts/icons.js'
import { colourSchemes, schemeColours, schemeNamed } from './colour-schemes.js'
import {
  axisOf,
  coloursOf,
  digitsOf,
  listOf,
  membersOf,
  numberOf,
  type StoredColour,
  textOf,
  textsOf,
} from './view-properties.js'

export interface CellOptionsProps {
  readonly kind: ViewKind
  readonly properties: ViewProperties
  readonly onChange: (properties: ViewProperties) => void
}

const lines: readonly ViewKind[] = ['xy', 'line-plus-single-stat', 'band', 'check']
const planes: readonly ViewKind[] = ['heatmap', 'scatter', 'mosaic']
const values: readonly ViewKind[] = ['single-stat', 'line-plus-single-stat', 'gauge']
const scaled: readonly ViewKind[] = [...lines, ...planes, 'histogram']

export function CellOptions(props: CellOptionsProps) {
  const { kind, properties, onChange } = props
  const set = (part: ViewProperties) => onChange({ ...properties, ...part })
  return (
    <>
      {values.includes(kind) && <ValueOptions {...props} />}
      {kind === 'table' && <Digits {...props} />}
      {lines.includes(kind) && <LineOptions {...props} />}
      {planes.includes(kind) && <PlaneOptions {...props} />}
      {kind === 'histogram' && (
        <Typed
          label="Bins"
          type="number"
          value={String(numberOf(properties.binCount) ?? 30)}
          onChange={(text) => set({ binCount: Number(text) })}
        />
      )}
      {kind === 'band' && <BandOptions {...props} />}
      {scaled.includes(kind) && <Scheme {...props} />}
      {(kind === 'single-stat' || kind === 'line-plus-single-stat') && (
        <Thresholds {...props} types={['text', 'background']} />
      )}
      {kind === 'gauge' && <Thresholds {...props} types={['min', 'threshold', 'max']} />}
      {kind === 'table' && <Columns {...props} />}
      {kind !== 'markdown' && <NoteOptions {...props} />}
    </>
  )
}

interface TypedProps {
  readonly label: string
  readonly value: string
  readonly type?: string
  readonly onChange: (text: string) => void
}

function Typed({ label, value, type = 'text', onChange }: TypedProps) {
  return (
    <TextInput
      size="xs"
      type={type}
      label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

function ValueOptions({ kind, properties, onChange }: CellOptionsProps) {
  const set = (part: ViewProperties) => onChange({ ...properties, ...part })
  return (
    <fieldset>
      <legend>Value</legend>
      <div className="fields-2 is-tight">
        <Typed
          label="Before it"
          value={textOf(properties.prefix)}
          onChange={(prefix) => set({ prefix })}
        />
        <Typed
          label="Unit after it"
          value={textOf(properties.suffix)}
          onChange={(suffix) => set({ suffix })}
        />
      </div>
      <Digits kind={kind} properties={properties} onChange={onChange} />
    </fieldset>
  )
}

function Digits({ properties, onChange }: CellOptionsProps) {
  const { digits } = digitsOf(properties)
  return (
    <Select
      size="xs"
      label="Decimal places"
      data={[
        { value: 'any', label: 'As they are' },
        ...['0', '1', '2', '3', '4', '6'].map((value) => ({ value, label: value })),
      ]}
      value={digits === undefined ? 'any' : String(digits)}
      onChange={(value) => {
        const isEnforced = value !== 'any'
        const decimalPlaces = { isEnforced, digits: isEnforced ? Number(value) : 2 }
        onChange({ ...properties, decimalPlaces })
      }}
    />
  )
}

function LineOptions({ kind, properties, onChange }: CellOptionsProps) {
  const set = (part: ViewProperties) => onChange({ ...properties, ...part })
  const { label, format, low, high } = axisOf(properties, 'y')
  const axes = membersOf(properties.axes)
  const setAxis = (part: object) => set({ axes: { ...axes, y: { ...membersOf(axes.y), ...part } } })
  const bounds = (first: string, second: string) => setAxis({ bounds: [first, second] })
  const text = (value: number | undefined) => (value === undefined ? '' : String(value))
  return (
    <>
      {kind === 'xy' && (
        <Select
          size="xs"
          label="Drawn as"
          data={[
            { value: 'line', label: 'Lines' },
            { value: 'step', label: 'Steps' },
            { value: 'bar', label: 'Bars' },
            { value: 'points', label: 'Points' },
          ]}
          value={textOf(properties.geom) || 'line'}
          onChange={(geom) => set({ geom })}
        />
      )}
      {(kind === 'xy' || kind === 'line-plus-single-stat') && (
        <div className="row">
          <Checkbox
            size="xs"
            label="Stacked"
            checked={properties.position === 'stacked'}
            onChange={(event) =>
              set({ position: event.currentTarget.checked ? 'stacked' : 'overlaid' })
            }
          />
          <Checkbox
            size="xs"
            label="Shaded"
            checked={properties.shadeBelow === true}
            onChange={(event) => set({ shadeBelow: event.currentTarget.checked })}
          />
          <Checkbox
            size="xs"
            label="Legend"
            checked={properties.legendHide !== true}
            onChange={(event) => set({ legendHide: !event.currentTarget.checked })}
          />
        </div>
      )}
      <fieldset>
        <legend>Axis of values</legend>
        <div className="fields-2 is-tight">
          <Typed label="Label" value={label} onChange={(value) => setAxis({ label: value })} />
          <Typed
            label="Unit"
            value={format.suffix ?? ''}
            onChange={(suffix) => setAxis({ suffix })}
          />
          <Typed
            label="From"
            type="number"
            value={text(low)}
            onChange={(value) => bounds(value, text(high))}
          />
          <Typed
            label="To"
            type="number"
            value={text(high)}
            onChange={(value) => bounds(text(low), value)}
          />
        </div>
        <Select
          size="xs"
          label="Large numbers"
          data={[
            { value: 'raw', label: 'Written out' },
            { value: '10', label: 'k, M, G' },
            { value: '2', label: 'Ki, Mi, Gi' },
          ]}
          value={format.base ?? 'raw'}
          onChange={(base) => setAxis({ base: base === 'raw' ? '' : base })}
        />
      </fieldset>
    </>
  )
}

function BandOptions({ properties, onChange }: CellOptionsProps) {
  const names = [
    ['mainColumn', 'Line'],
    ['upperColumn', 'Upper end'],
    ['lowerColumn', 'Lower end'],
  ] as const
  return (
    <fieldset>
      <legend>Results, by the names they are yielded as</legend>
      <div className="fields-2 is-tight">
        {names.map(([member, label]) => (
          <Typed
            key={member}
            label={label}
            value={textOf(properties[member])}
            onChange={(value) => onChange({ ...properties, [member]: value })}
          />
        ))}
      </div>
    </fieldset>
  )
}

function PlaneOptions({ kind, properties, onChange }: CellOptionsProps) {
  const set = (part: ViewProperties) => onChange({ ...properties, ...part })
  const list = (text: string) =>
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
  return (
    <fieldset>
      <legend>Columns</legend>
      <div className="fields-2 is-tight">
        <Typed
          label="Across"
          value={textOf(properties.xColumn)}
          onChange={(xColumn) => set({ xColumn })}
        />
        {kind !== 'mosaic' && (
          <Typed
            label="Up"
            value={textOf(properties.yColumn)}
            onChange={(yColumn) => set({ yColumn })}
          />
        )}
        {kind === 'mosaic' && (
          <Typed
            label="Rows by"
            value={textsOf(properties.ySeriesColumns).join(', ')}
            onChange={(text) => set({ ySeriesColumns: list(text) })}
          />
        )}
        {kind !== 'heatmap' && (
          <Typed
            label="Colours by"
            value={textsOf(properties.fillColumns).join(', ')}
            onChange={(text) => set({ fillColumns: list(text) })}
          />
        )}
        {kind === 'heatmap' && (
          <Typed
            label="Size of a field, pixels"
            type="number"
            value={String(numberOf(properties.binSize) ?? 10)}
            onChange={(text) => set({ binSize: Number(text) })}
          />
        )}
      </div>
    </fieldset>
  )
}

function Scheme({ kind, properties, onChange }: CellOptionsProps) {
  const isPlain = planes.includes(kind)
  return (
    <Select
      size="xs"
      label="Colours"
      data={colourSchemes.map(({ name }) => name)}
      value={schemeNamed(coloursOf(properties))}
      onChange={(name) => {
        if (name === null) return
        const others = isPlain
          ? []
          : listOf(properties.colors).filter((colour) => membersOf(colour).type !== 'scale')
        const scale = schemeColours(name)
        const colors = isPlain ? scale.map(({ hex }) => hex) : [...scale, ...others]
        onChange({ ...properties, colors })
      }}
    />
  )
}

interface ThresholdsProps extends CellOptionsProps {
  readonly types: readonly string[]
}

function Thresholds({ properties, onChange, types, kind }: ThresholdsProps) {
  const all = listOf(properties.colors)
  const own = all
    .map((colour, index) => ({ ...membersOf(colour), index }) as StoredColour & { index: number })
    .filter(({ type }) => types.includes(type))
  const set = (index: number, part: object) => {
    const colors = all.map((colour, i) =>
      i === index ? { ...membersOf(colour), ...part } : colour,
    )
    onChange({ ...properties, colors })
  }
  const isGround = own.some(({ type }) => type === 'background')
  const added = kind === 'gauge' ? 'threshold' : isGround ? 'background' : 'text'
  const add = () => {
    const value =
      own.length === 0 ? 0 : Math.max(...own.map((one) => numberOf(one.value) ?? 0)) + 10
    const isFirst = own.length === 0
    const colour = {
      id: isFirst ? 'base' : `from-${value}`,
      type: added,
      hex: '#1a7f37',
      name: '',
      value,
    }
    onChange({ ...properties, colors: [...all, colour] })
  }
  return (
    <fieldset>
      <legend>Colours by value</legend>
      {own.map(({ index, hex, value, type }) => (
        <div className="row row-tight" key={index}>
          <input
            type="color"
            aria-label={`Colour from ${value}`}
            value={/^#[\da-f]{6}$/i.test(hex) ? hex : '#888888'}
            onChange={(event) => set(index, { hex: event.currentTarget.value })}
          />
          <TextInput
            size="xs"
            type="number"
            step="any"
            aria-label={type === 'min' ? 'Lower end' : type === 'max' ? 'Upper end' : 'From'}
            value={String(numberOf(value) ?? 0)}
            onChange={(event) => set(index, { value: Number(event.currentTarget.value) })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Remove the colour from ${value}`}
            disabled={type === 'min' || type === 'max'}
            onClick={() => onChange({ ...properties, colors: all.filter((_, i) => i !== index) })}
          >
            <Icon name="close" size={12} />
          </ActionIcon>
        </div>
      ))}
      <div className="row">
        <Button size="compact-xs" variant="default" onClick={add}>
          Add
        </Button>
        {kind !== 'gauge' && (
          <Checkbox
            size="xs"
            label="Colour the ground"
            checked={isGround}
            onChange={(event) => {
              const type = event.currentTarget.checked ? 'background' : 'text'
              const colors = all.map((colour) =>
                types.includes(textOf(membersOf(colour).type))
                  ? { ...membersOf(colour), type }
                  : colour,
              )
              onChange({ ...properties, colors })
            }}
          />
        )}
      </div>
    </fieldset>
  )
}

function Columns({ properties, onChange }: CellOptionsProps) {
  const options = listOf(properties.fieldOptions).map(membersOf)
  const hidden = options.filter(({ visible }) => visible === false)
  const set = (text: string) => {
    const names = text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
    const shown = options.filter(({ internalName }) => !names.includes(textOf(internalName)))
    const off = names.map((internalName) => ({
      ...options.find((one) => one.internalName === internalName),
      internalName,
      displayName: internalName,
      visible: false,
    }))
    const still = shown.map((one) => ({ ...one, visible: true }))
    onChange({ ...properties, fieldOptions: [...still, ...off] })
  }
  return (
    <fieldset>
      <legend>Table</legend>
      <Typed
        label="Columns that are hidden"
        value={hidden.map(({ internalName }) => textOf(internalName)).join(', ')}
        onChange={set}
      />
      <Typed
        label="Form of moments"
        value={textOf(properties.timeFormat)}
        onChange={(timeFormat) => onChange({ ...properties, timeFormat })}
      />
    </fieldset>
  )
}

function NoteOptions({ properties, onChange }: CellOptionsProps) {
  return (
    <fieldset>
      <legend>Note</legend>
      <Textarea
        size="xs"
        aria-label="Note, in Markdown"
        autosize
        minRows={2}
        maxRows={8}
        value={textOf(properties.note)}
        onChange={(event) => onChange({ ...properties, note: event.currentTarget.value })}
      />
      <Checkbox
        size="xs"
        label="Show it where there are no rows"
        checked={properties.showNoteWhenEmpty === true}
        onChange={(event) =>
          onChange({ ...properties, showNoteWhenEmpty: event.currentTarget.checked })
        }
      />
    </fieldset>
  )
}
