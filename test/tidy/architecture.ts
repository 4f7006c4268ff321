// ARCHITECTURE.md is the map of the house: a room that is not on it cannot be found, so it names every folder of src.

import { partOf, type SourceFile } from './source.js'

/** `text` is undefined where there is no ARCHITECTURE.md. */
export function checkArchitecture(
  files: readonly SourceFile[],
  text: string | undefined,
): string[] {
  if (text === undefined) return ['ARCHITECTURE.md: is missing; it must name every folder of src']
  const folders = new Set<string>()
  for (const { path } of files) {
    const part = partOf(path)
    if (part !== undefined && path.startsWith(`src/${part}/`)) folders.add(part)
  }
  return [...folders]
    .filter((folder) => !new RegExp(`(^|[^\\w-])${folder}/`).test(text))
    .map((folder) => `ARCHITECTURE.md: does not name the folder ${folder}/`)
}
