import { afterAll, beforeAll } from 'vitest'
import { userStores } from '../../../src/users/open-user-store.ts'
import { argon2Passwords } from '../../../src/users/passwords/argon2.ts'
import { migratePostgres, openEditablePostgresStore } from '../../../src/users/postgres/editable-store.ts'
import type { PostgresSettings } from '../../../src/users/postgres/settings.ts'
import { type ContractViewer, oncePerList, userStoreContract } from '../user-store-contract.ts'
import { CUSTOMERS_QUERY, CUSTOMERS_TABLE, settingsOf } from './fixture.ts'
import { type PostgresServer, startPostgres } from './server.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

const ownTableOf = oncePerList(makeOwnTable)
const customersTableOf = oncePerList(makeCustomersTable)

userStoreContract("postgres, the app's own table", { finds: true, hashes: true }, async (viewers) => {
  return await userStores.open(await ownTableOf(viewers))
})

userStoreContract("postgres, a customer's own table", { finds: true, hashes: true }, async (viewers) => {
  return await userStores.open(await customersTableOf(viewers))
})

async function makeOwnTable(viewers: readonly ContractViewer[]): Promise<PostgresSettings> {
  const database = await server.createDatabase()
  const settings = settingsOf(server.url({ database }))
  await migratePostgres(settings)
  const editable = await openEditablePostgresStore(settings)
  for (const { password, passwordHash, disabled, ...viewer } of viewers) {
    await editable.add(viewer, password)
    await editable.setDisabled(viewer.username, disabled)
    if (passwordHash === undefined) continue
    const change = 'UPDATE viewer_auth.viewers SET password_hash = $1 WHERE username = $2'
    await server.query(change, [passwordHash, viewer.username], database)
  }
  await editable.close()
  return settings
}

async function makeCustomersTable(viewers: readonly ContractViewer[]): Promise<PostgresSettings> {
  const database = await server.createDatabase()
  await server.query(CUSTOMERS_TABLE, [], database)
  for (const { username, password, passwordHash, disabled, groups, attributes } of viewers) {
    const state = disabled ? 'left' : 'active'
    await server.query(
      `INSERT INTO app_user (login, pass, state, roles, department, employee_number) VALUES ($1, $2, $3, $4, $5, $6)`,
      [
        username,
        passwordHash ?? (await argon2Passwords.hash(password)),
        state,
        groups,
        attributes.department,
        attributes.employee_number,
      ],
      database,
    )
  }
  return settingsOf(server.url({ database }), { POSTGRES_QUERY: CUSTOMERS_QUERY })
}
