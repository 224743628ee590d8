export const postgresSettings = { USER_STORE_URL: 'postgres://app@db.example/viewers' }
