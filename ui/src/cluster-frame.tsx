// The page at this path of the cluster variant before
// its code is there: heading and frame.

import { useLocation } from 'wouter'
import { ExploreFrame } from './explore/explore-frame.js'
import { PageFrame } from './parts/loaded-page.js'
import { Loading } from './parts/states.js'
import { places } from './shell/places.js'

export function ClusterFrame() {
  const [location] = useLocation()
  if (location === '/' || location === '/explore') return <ExploreFrame />
  const place = places().find(({ path }) => path === location)
  if (place === undefined) return <Loading />
  return <PageFrame title={place.name} />
}
