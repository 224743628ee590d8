import type { WayIn } from '../../way-in.ts'

const settings = { USER_STORE_URL: 'postgres://app@127.0.0.1:1/viewers' }

export const postgresWay: WayIn = { name: 'a PostgreSQL server that is away', prepare: () => ({ settings }) }
