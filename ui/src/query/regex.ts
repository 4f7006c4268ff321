// Stands in the page for `src/column/regex.ts`, which the service's parsers ask whether a pattern is right: RE2 is a
// megabyte, so here every pattern is, and the service says otherwise when it is asked.

export function compileRegex(_pattern: string): object {
  return {}
}
