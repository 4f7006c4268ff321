// Texts in URLs, escaped as Go does it: as one segment of a path, and as parts of a query. JavaScript's own
// functions leave other signs alone.

/** What `encodeURIComponent` leaves alone and Go does not. */
const left = /[!'()*]/g
const signsOfPaths = /%(24|26|2B|3D|3A|40)/g

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(left, percent)
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

/** The signs `$&+=:@` mean nothing inside a segment and stay. */
export function escapePathSegment(text: string): string {
  return encoded(text).replace(signsOfPaths, (sign) => decodeURIComponent(sign))
}

/** `a=1&a=2&b=c`. */
export function queryText(parameters: Iterable<readonly [string, string]>): string {
  return Array.from(parameters, ([name, value]) => `${queryPart(name)}=${queryPart(value)}`).join(
    '&',
  )
}

function queryPart(text: string): string {
  return encoded(text).replaceAll('%20', '+')
}
