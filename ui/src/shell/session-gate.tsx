// What stands before the pages: set-up where nobody is there yet, sign-in for strangers, and, when a session ends
// while somebody works, the same form on top of the page, so that nothing typed is lost.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useSyncExternalStore } from 'react'
import { chosenOrganization, type Me, situationQuery } from '../api/accounts.js'
import { session } from '../api/http.js'
import { isCluster } from '../api/variant.js'
import { Dialog } from '../parts/dialog.js'
import { Logo } from '../parts/icons.js'
import { Failed, Loading } from '../parts/states.js'
import { HereContext } from './here.js'
import { SignInForm } from './sign-in-form.js'
import { TokenForm } from './token-form.js'

export interface SessionGateProps {
  readonly setup: (onDone: () => void) => ReactNode
  readonly children: ReactNode
}

export function SessionGate({ setup, children }: SessionGateProps) {
  const client = useQueryClient()
  const found = useQuery(situationQuery)
  const again = () => client.invalidateQueries({ queryKey: situationQuery.queryKey })
  if (found.data === undefined) {
    if (found.error !== null)
      return (
        <Centre>
          <Failed error={found.error} onRetry={() => found.refetch()} />
        </Centre>
      )
    return <Loading />
  }
  const { me, orgs, isSetupOpen } = found.data
  if (me === undefined) {
    return isSetupOpen ? setup(again) : <SignInPage onDone={again} />
  }
  const org = chosenOrganization(orgs)
  if (org === undefined) return <Centre>You are a member of no organization yet.</Centre>
  return (
    <HereContext.Provider value={{ me, org }}>
      {children}
      <SessionOverlay me={me} />
    </HereContext.Provider>
  )
}

function SignInPage({ onDone }: { readonly onDone: () => void }) {
  useEffect(() => {
    document.title = 'Sign in – Millrace'
  }, [])
  return (
    <Centre>
      <h1 className="brand">
        <Logo size={28} /> Millrace
      </h1>
      {isCluster() ? <TokenForm onDone={onDone} /> : <SignInForm onDone={onDone} />}
    </Centre>
  )
}

function SessionOverlay({ me }: { readonly me: Me }) {
  const isOver = useSyncExternalStore(session.subscribe, session.isOver)
  return (
    <Dialog
      opened={isOver}
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title="Your session has ended"
    >
      <p className="muted">Sign in again to go on where you were.</p>
      {isCluster() ? (
        <TokenForm onDone={() => session.renew()} />
      ) : (
        <SignInForm name={me.name} onDone={() => session.renew()} />
      )}
    </Dialog>
  )
}

function Centre({ children }: { readonly children: ReactNode }) {
  return (
    <main className="centre">
      <div className="card">{children}</div>
    </main>
  )
}
