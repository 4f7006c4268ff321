// What may be read and what written, row by row, with a box for
// all rows at the top.

import { Checkbox } from '@mantine/core'

export interface RightsTableProps {
  readonly title: string
  readonly rows: readonly { readonly id: string; readonly name: string }[]
  /** As `read ID`. */
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
}

const actions = ['read', 'write'] as const

export function RightsTable({ title, rows, chosen, onChange }: RightsTableProps) {
  const toggle = (key: string) =>
    onChange(
      chosen.has(key)
        ? new Set([...chosen].filter((one) => one !== key))
        : new Set([...chosen, key]),
    )
  const toggleAll = (action: string) => {
    const keys = rows.map(({ id }) => `${action} ${id}`)
    const isAll = keys.every((key) => chosen.has(key))
    const others = [...chosen].filter((key) => !keys.includes(key))
    onChange(new Set(isAll ? others : [...others, ...keys]))
  }
  return (
    <div className="rights">
      <table className="plain-table">
        <thead>
          <tr>
            <th>{title}</th>
            {actions.map((action) => (
              <th key={action}>
                <Checkbox
                  label={action}
                  aria-label={`${action} all`}
                  checked={rows.length > 0 && rows.every(({ id }) => chosen.has(`${action} ${id}`))}
                  onChange={() => toggleAll(action)}
                />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, name }) => (
            <tr key={id}>
              <td>{name}</td>
              {actions.map((action) => (
                <td key={action}>
                  <Checkbox
                    aria-label={`${action} ${name}`}
                    checked={chosen.has(`${action} ${id}`)}
                    onChange={() => toggle(`${action} ${id}`)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
