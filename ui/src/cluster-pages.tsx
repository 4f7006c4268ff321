// The pages of the cluster variant: fewer than those of the managed one, and loaded in their place. Exploring and
// status are the same pages.

import { Redirect, Route, Switch } from 'wouter'
import { DatabasesPage } from './cluster/databases-page.js'
import { TokensPage } from './cluster/tokens-page.js'
import { ExploreFrame } from './explore/explore-frame.js'
import { later } from './parts/later.js'
import { PageFrame } from './parts/loaded-page.js'
import { NotFound } from './shell/not-found.js'

const ExplorePage = later(
  async () => (await import('./explore/explore-page.js')).ExplorePage,
  <ExploreFrame />,
)
const StatusPage = later(
  async () => (await import('./status/status-page.js')).StatusPage,
  <PageFrame title="Status" />,
)

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
