// The pages of the cluster variant: fewer than those of the managed one, and loaded in their place. Exploring and
// status are the same pages.

import { lazy } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import { DatabasesPage } from './cluster/databases-page.js'
import { TokensPage } from './cluster/tokens-page.js'
import { NotFound } from './shell/not-found.js'

const ExplorePage = lazy(async () => ({
  default: (await import('./explore/explore-page.js')).ExplorePage,
}))
const StatusPage = lazy(async () => ({
  default: (await import('./status/status-page.js')).StatusPage,
}))

export function ClusterPages() {
  return (
    <Switch>
      <Route path="/explore" component={ExplorePage} />
      <Route path="/databases" component={DatabasesPage} />
      <Route path="/tokens" component={TokensPage} />
      <Route path="/status" component={StatusPage} />
      <Route path="/">
        <Redirect to="/explore" replace />
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}
