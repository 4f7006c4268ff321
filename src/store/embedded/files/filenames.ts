// Every name that the engine gives to a file or folder, in one place.
//
//   MANIFEST-0000000012               what is valid: shards, segments, deletes; see manifest.ts
//   MANIFEST                          the same as written before manifests were numbered
//   wal/0000000007.wal                writes since the last flush
//   <bucket>/index.log                series and fields of the bucket
//   <bucket>/index-0000000010.log     the same, written anew when series had left; the manifest names it
//   <bucket>/unfinished-index-0000000010.log     one that is being written, and not yet named by a manifest
//   <bucket>/<start>/0000000009.seg   segments of the shard that starts then (nanoseconds since 1970)
//   <bucket>/<start>/unfinished-0000000011.seg   one that is being written, and not yet named by a manifest
//   reserved                          room that is kept back for deletes on a full disk; see reserved-space.ts
//   set-aside/0000000013-<name>       what nobody knows, or is damaged; <name>.reason beside it says why

const digits = 10

/** Of a folder whose manifests were not numbered yet. */
export const plainManifestName = 'MANIFEST'

export function manifestName(number: number): string {
  return number === 0 ? plainManifestName : `${plainManifestName}-${padded(number)}`
}

export function manifestNumber(name: string): number | undefined {
  if (name === plainManifestName) return 0
  const match = /^MANIFEST-(\d{10,})$/.exec(name)
  return match === null ? undefined : Number(match[1])
}

export function reservedPath(root: string): string {
  return `${root}/reserved`
}

export function setAsideFolder(root: string): string {
  return `${root}/set-aside`
}

/** The number keeps two of one name apart. */
export function setAsidePath(root: string, number: number, name: string): string {
  return `${setAsideFolder(root)}/${padded(number)}-${name.replaceAll('/', '-')}`
}

export function walFolder(root: string): string {
  return `${root}/wal`
}

export function walPath(root: string, number: number): string {
  return `${walFolder(root)}/${padded(number)}.wal`
}

/** The number of a WAL file, or undefined for a name that is none. */
export function walNumber(name: string): number | undefined {
  const match = /^(\d{10,})\.wal$/.exec(name)
  return match === null ? undefined : Number(match[1])
}

export function bucketFolder(root: string, bucket: string): string {
  return `${root}/${bucket}`
}

/** By the number of the file; a bucket begins with 0. */
export function indexPath(root: string, bucket: string, number: number): string {
  return `${bucketFolder(root, bucket)}/${indexName(number)}`
}

export function indexName(number: number): string {
  return number === 0 ? 'index.log' : `index-${padded(number)}.log`
}

/** Undefined for a name that is none. */
export function indexNumber(name: string): number | undefined {
  if (name === 'index.log') return 0
  const match = /^index-(\d{10,})\.log$/.exec(name)
  return match === null ? undefined : Number(match[1])
}

/** The name under which an index log is written anew, until a manifest names it. */
export function unfinishedIndexPath(root: string, bucket: string, number: number): string {
  return `${bucketFolder(root, bucket)}/unfinished-${indexName(number)}`
}

export function unfinishedIndexNumber(name: string): number | undefined {
  return name.startsWith('unfinished-') ? indexNumber(name.slice('unfinished-'.length)) : undefined
}

export function shardFolder(root: string, bucket: string, start: bigint): string {
  return `${bucketFolder(root, bucket)}/${start}`
}

export function segmentName(number: number): string {
  return `${padded(number)}.seg`
}

/** The name under which a segment is written, until a manifest names it. */
export function unfinishedName(number: number): string {
  return `unfinished-${segmentName(number)}`
}

export function unfinishedNumber(name: string): number | undefined {
  const match = /^unfinished-(\d{10,})\.seg$/.exec(name)
  return match === null ? undefined : Number(match[1])
}

export function isBucketName(name: string): boolean {
  return /^[0-9a-f]{16}$/.test(name)
}

export function isShardName(name: string): boolean {
  return /^-?\d+$/.test(name)
}

export function segmentNumber(name: string): number | undefined {
  const match = /^(\d{10,})\.seg$/.exec(name)
  return match === null ? undefined : Number(match[1])
}

function padded(number: number): string {
  return String(number).padStart(digits, '0')
}
