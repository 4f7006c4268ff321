// What a new installation is to be set up with. Types alone, in a file of their own, as the library's face names them:
// they lead to nothing else.

export interface FirstSetup {
  readonly username: string
  readonly password: string
  readonly org: string
  readonly bucket: string
  readonly retentionSeconds: number
  readonly token?: string
  /** Of v1. */
  readonly users?: readonly FirstUser[]
}

export interface FirstUser {
  readonly name: string
  readonly password: string
  readonly isAdmin: boolean
  /** On the bucket. */
  readonly privilege?: 'READ' | 'WRITE' | 'ALL PRIVILEGES'
}
