// Names as the v3 products have them: unquoted ones fold to lower case, quoted ones stay as they are, and
// two names that differ only in case are two names. DuckDB does not tell those apart, so inside it every
// capital letter is written as a mark and the small letter; what comes back is turned round again. Only A
// to Z matter: DuckDB folds nothing else.

/** From the private use area: no name that people type has it. */
const mark = '\ue000'
const capitals = /[A-Z]/g
const marked = new RegExp(`${mark}([a-z])`, 'g')

/** The spelling inside DuckDB of a name as it is stored. */
export function insideName(name: string): string {
  return name.replace(capitals, (letter) => mark + letter.toLowerCase())
}

/** The name again; also names within a longer text, such as a message. */
export function outsideName(text: string): string {
  return text.replace(marked, (_, letter: string) => letter.toUpperCase())
}

/** For names that DuckDB reads. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
