// Which of its two variants the service is: the page was told when it was loaded.
// The cluster variant has databases and tokens, and neither Flux nor dashboards.

/** Asked when something is drawn, not when a module is loaded: tests have no document. */
export function isCluster(): boolean {
  const meta = document.querySelector<HTMLMetaElement>('meta[name=millrace-variant]')
  return meta?.content === 'cluster'
}
