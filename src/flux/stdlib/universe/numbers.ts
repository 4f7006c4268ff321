// The functions of the universe that compute: aggregates, selectors, and what runs along the rows. Put
// together here; `package.ts` adds them to the rest.

import type { Definitions } from '../../package/define.js'
import { aggregates } from './aggregates.js'
import { covariances } from './covariance.js'
import { derivatives } from './derivative.js'
import { differences } from './differences.js'
import { histograms } from './histogram.js'
import { forecasts } from './holt-winters.js'
import { integrals } from './integral.js'
import { modes } from './mode.js'
import { momentum } from './momentum.js'
import { movingAverages } from './moving-averages.js'
import { quantiles } from './quantile.js'
import { selectors } from './selectors.js'

export const numbers: Definitions = {
  ...aggregates,
  ...selectors,
  ...quantiles,
  ...modes,
  ...integrals,
  ...covariances,
  ...differences,
  ...derivatives,
  ...movingAverages,
  ...momentum,
  ...histograms,
  ...forecasts,
}
