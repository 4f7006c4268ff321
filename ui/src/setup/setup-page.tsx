// The first minute: three steps in one column. Who you are, the token that is shown once and where data comes from,
// and the first chart.

import { useEffect, useState } from 'react'
import type { SetupResult } from '../api/accounts.js'
import { Logo } from '../parts/icons.js'
import { AccountStep } from './account-step.js'
import { DataStep } from './data-step.js'

export interface SetupPageProps {
  readonly onDone: () => void
}

const steps = ['You', 'Data', 'First chart']

export function SetupPage({ onDone }: SetupPageProps) {
  const [made, setMade] = useState<SetupResult>()
  useEffect(() => {
    document.title = 'Set up – Millrace'
  }, [])
  const current = made === undefined ? 0 : 1
  return (
    <main className="centre">
      <div className="card card-wide">
        <h1 className="brand">
          <Logo size={28} /> Millrace
        </h1>
        <ol className="steps">
          {steps.map((name, index) => (
            <li
              key={name}
              className={index < current ? 'is-done' : undefined}
              aria-current={index === current ? 'step' : undefined}
            >
              <span className="step-number">{index < current ? '✓' : index + 1}</span> {name}
            </li>
          ))}
        </ol>
        {made === undefined ? (
          <AccountStep onMade={setMade} />
        ) : (
          <DataStep made={made} onDone={onDone} />
        )}
      </div>
    </main>
  )
}
