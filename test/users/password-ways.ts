import type { WayIn } from '../way-in.ts'
import { httpWay } from './http/way-in.ts'
import { ldapWay } from './ldap/way-in.ts'
import { postgresWay } from './postgres/way-in.ts'
import { sqliteWay } from './sqlite/way-in.ts'

/** The user stores of this checkout. In the first, the password of a viewer can be changed, if there is such a store. */
export const PASSWORD_WAYS: readonly WayIn[] = [sqliteWay, postgresWay, httpWay, ldapWay]

/** The first of them; a fork with a store of its own has none. */
export const FIRST_PASSWORD_WAY: WayIn = PASSWORD_WAYS[0] ?? { name: 'none', prepare: () => ({ settings: {} }) }
