/** Where Redis is, and how it is reached. */
export interface RedisAddress {
  readonly host: string
  readonly port: number
  readonly username: string | null
  readonly password: string | null
  readonly database: number
  /** Null: not encrypted. Else the certificate is checked against this authority, or against those that Node knows. */
  readonly tls: { readonly authority: string | null } | null
  /** What every key begins with. */
  readonly keyPrefix: string
}

export type SessionStoreSettings =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'redis'; readonly redis: RedisAddress }

export type LimitsStoreSettings = { readonly kind: 'memory' } | { readonly kind: 'redis'; readonly redis: RedisAddress }
