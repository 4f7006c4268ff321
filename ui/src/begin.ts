// What the page at this address asks first, asked while its code is on its way: a small script of its own, which runs
// before all others. Each answer is needed for the next question, so that the page would wait for one after the other.

import { chosenOrganization, situationQuery } from './api/accounts.js'
import { handOver } from './api/begun.js'
import { bucketsQuery, measurementsPage, measurementsQuery } from './api/buckets.js'
import { dashboardQuery } from './api/dashboards.js'
import { session } from './api/http.js'
import { variablesQuery } from './api/variables.js'

interface Asked<T> {
  readonly queryKey: readonly unknown[]
  readonly queryFn: () => Promise<T>
}

/** Requests of a session that has ended wait until somebody has signed in, which nobody can do here. */
const sessionOver = new Promise<never>((_, reject) => {
  session.subscribe(() => reject(new Error('The session has ended.')))
})
sessionOver.catch(() => {})

function ask<T>({ queryKey, queryFn }: Asked<T>): Promise<T> {
  const answer = Promise.race([queryFn(), sessionOver])
  answer.catch(() => {})
  handOver({ queryKey, answer })
  return answer
}

async function begin(): Promise<void> {
  const place = location.pathname.slice(new URL(document.baseURI).pathname.length)
  const [page, id] = place.split('/')
  const situation = ask(situationQuery)
  const { me, orgs } = await situation
  const org = chosenOrganization(orgs)
  if (me === undefined || org === undefined) return
  if (page === '' || page === 'explore') await beginExplorer(org.id)
  if (page === 'dashboards' && id !== undefined) {
    ask(dashboardQuery(id))
    ask(bucketsQuery(org.id))
    ask(variablesQuery(org.id))
  }
}

async function beginExplorer(orgId: string): Promise<void> {
  const wanted = new URLSearchParams(location.search).get('b')
  const buckets = await ask(bucketsQuery(orgId))
  const bucket = buckets.find(({ name }) => name === wanted) ?? buckets[0]
  if (bucket !== undefined) ask(measurementsQuery(bucket.id, '', measurementsPage))
}

// The page asks again for what could not be had, and says why.
begin().catch(() => {})
