// Flux for those who may never be asked for it: it is the largest of the languages, and is loaded when a query comes
// that needs it.

import type { FluxLanguage } from './flux.js'

export function fluxLoader(): () => Promise<FluxLanguage> {
  let language: Promise<FluxLanguage> | undefined
  return () => {
    language ??= import('./flux.js').then((flux) => new flux.FluxLanguage())
    return language
  }
}
