// The catalog's tables as Kysely sees them. Types are kept to what every SQL database has: texts
// and integers; `migrations.ts` makes the tables, the resource files give the rows their meaning.

export interface OrganizationRow {
  id: string
  name: string
  description: string
  status: string
  created_at: string
  updated_at: string
}

export interface UserRow {
  id: string
  name: string
  status: string
  /** null: the user cannot sign in with a password. */
  password_hash: string | null
  created_at: string
  updated_at: string
}

export interface BucketRow {
  id: string
  org_id: string
  name: string
  description: string
  type: string
  schema_type: string
  /** 0: kept for ever. */
  retention_seconds: number
  created_at: string
  updated_at: string
}

export interface TokenRow {
  id: string
  token_hash: string
  /** null: bound to no organization. */
  org_id: string | null
  /** null: bound to no user. */
  user_id: string | null
  description: string
  status: string
  /** JSON: a list of permissions. */
  permissions: string
  created_at: string
  updated_at: string
}

export interface DbrpRow {
  id: string
  org_id: string
  bucket_id: string
  database_name: string
  retention_policy: string
  /** 0 or 1. */
  is_default: number
}

export interface CatalogTables {
  organizations: OrganizationRow
  users: UserRow
  buckets: BucketRow
  tokens: TokenRow
  dbrps: DbrpRow
}
