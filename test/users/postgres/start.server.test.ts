import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ConfigError, UpstreamError } from '../../../src/errors.ts'
import { type Certificate, makeCertificate } from '../../servers/certificate.ts'
import { password, signInRun } from '../sign-in-run.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { databaseWithAda, migratedStore, openQuickStore } from './fixture.ts'
import { type PostgresServer, startPostgres } from './server.ts'

let server: PostgresServer
let ada: { database: string; user: string; url: string }
let tls: Certificate
beforeAll(async () => {
  tls = await makeCertificate(['IP:127.0.0.1', 'DNS:db.example'])
  server = await startPostgres({ tls })
  ada = await databaseWithAda(server)
})
afterAll(() => server.stop())

async function refusal(promise: Promise<unknown>): Promise<Error> {
  return await promise.then(
    () => {
      throw new Error('Nothing was refused')
    },
    (error: Error) => error,
  )
}

function fileOf(pem: string): string {
  const file = join(temporaryFolder(), 'ca.pem')
  writeFileSync(file, pem)
  return file
}

test('a server that is down at the start does not stop the app, and sign-ins work after its return', async () => {
  await server.halt()
  const warnings: string[] = []
  const store = await openQuickStore(ada.url, {}, { warn: (message) => warnings.push(message) })
  expect(warnings).toHaveLength(1)
  await expect(store.checkHealth()).rejects.toThrow(UpstreamError)
  await expect(store.authenticate('ada', password)).rejects.toThrow(UpstreamError)
  await server.restart()
  await signInRun(store).recover()
  await expect(store.checkHealth()).resolves.toBeUndefined()
})

test('a server without the viewers table stays unavailable, and the error names the migrate command', async () => {
  const url = server.url({ database: await server.createDatabase() })
  await server.halt()
  const store = await openQuickStore(url)
  await server.restart()
  const saying = async () => (await refusal(store.authenticate('ada', password))).message
  await expect.poll(saying).toContain('npm run -s viewer-auth -- viewers migrate')
  await expect(store.authenticate('ada', password)).rejects.toThrow(UpstreamError)
  await migratedStore(url)
  const answer = () => store.authenticate('ada', password).catch(() => null)
  await expect.poll(answer).toEqual({ ok: false, reason: 'wrong-credentials' })
})

test.each([
  ['a wrong password', () => ada.url.replace(/:[^:@]+@/, ':PASSWORDMARKER@'), /rejects the user or the password/],
  ['an unknown role', () => server.url({ database: ada.database, user: 'x' }), /rejects the user or the password/],
  ['no password', () => ada.url.replace(/:[^:@]+@/, '@'), /rejects the user or the password/],
  ['an unknown database', () => server.url({ database: 'none' }), /"none".* does not exist/],
  ['an unknown certificate', () => `${ada.url}?sslmode=require`, /DEPTH_ZERO_SELF_SIGNED_CERT.*POSTGRES_CA_FILE/],
  // This machine, but not by a name that the app knows as local.
  ['an unknown certificate of another machine', () => ada.url.replace('127.0.0.1', '127.1'), /not trusted/],
])('a start with %s is reported as a wrong setting, without the password', async (_what, url, words) => {
  const error = await refusal(openQuickStore(url()))
  expect(error).toBeInstanceOf(ConfigError)
  expect(error.message).toMatch(/^USER_STORE_URL: .*\.$/)
  expect(error.message).toMatch(words)
  expect(`${error.stack} ${error.cause}`).not.toContain('PASSWORDMARKER')
})

test('a missing viewers table is reported, with the command that creates it', async () => {
  const error = await refusal(openQuickStore(server.url({ database: await server.createDatabase() })))
  expect(error).toBeInstanceOf(ConfigError)
  expect(error.message).toMatch(/^There is no viewers table .* npm run -s viewer-auth -- viewers migrate/)
})

test('a role without permissions is told which GRANT it needs', async () => {
  const { database, user, url } = await databaseWithAda(server)
  await server.query(`REVOKE SELECT ON viewer_auth.viewers FROM ${user}`, [], database)
  const error = await refusal(openQuickStore(url))
  expect(error).toBeInstanceOf(ConfigError)
  expect(error.message).toContain('GRANT USAGE ON SCHEMA viewer_auth and SELECT ON ALL TABLES IN SCHEMA viewer_auth')
})

describe('the CA of POSTGRES_CA_FILE', () => {
  const isEncrypted = `SELECT bool_and(ssl) AS ssl FROM pg_stat_ssl
    JOIN pg_stat_activity USING (pid) WHERE usename = $1`

  test('POSTGRES_CA_FILE encrypts the connection, on this machine too', async () => {
    const store = await openQuickStore(ada.url, { POSTGRES_CA_FILE: fileOf(tls.certificate) })
    expect(await store.authenticate('ada', password)).toMatchObject({ ok: true })
    expect((await server.query(isEncrypted, [ada.user])).rows).toEqual([{ ssl: true }])
  })

  test('a connection to this machine is not encrypted without POSTGRES_CA_FILE', async () => {
    const store = await openQuickStore(ada.url)
    await store.checkHealth()
    expect((await server.query(isEncrypted, [ada.user])).rows).toEqual([{ ssl: false }])
  })

  test('a certificate of another CA is refused, even with the right name', async () => {
    const { certificate: stranger } = await makeCertificate(['IP:127.0.0.1'])
    const error = await refusal(openQuickStore(ada.url, { POSTGRES_CA_FILE: fileOf(stranger) }))
    expect(error).toBeInstanceOf(ConfigError)
    expect(error.message).toContain('is not trusted')
  })

  test('a certificate for another name is refused', async () => {
    const url = ada.url.replace('127.0.0.1', '127.1')
    const error = await refusal(openQuickStore(url, { POSTGRES_CA_FILE: fileOf(tls.certificate) }))
    expect(error.message).toContain('ERR_TLS_CERT_ALTNAME_INVALID')
  })
})

test('a certificate for the name localhost is not valid for the address 127.0.0.1', async () => {
  const named = await makeCertificate(['DNS:localhost'])
  onTestFinished(() => server.restart(tls))
  await server.restart(named)
  const POSTGRES_CA_FILE = fileOf(named.certificate)
  const error = await refusal(openQuickStore(server.url(), { POSTGRES_CA_FILE }))
  expect(error.message).toContain('ERR_TLS_CERT_ALTNAME_INVALID')
  const byName = await refusal(openQuickStore(server.url({ host: 'localhost' }), { POSTGRES_CA_FILE }))
  expect(byName.message).toContain('There is no viewers table')
})

test('a server on another machine without TLS is refused', async () => {
  onTestFinished(() => server.restart(tls))
  await server.restart(null)
  const error = await refusal(openQuickStore(server.url({ host: '127.1' })))
  expect(error).toBeInstanceOf(ConfigError)
  expect(error.message).toContain('does not support TLS')
})

test('a Unix socket needs neither TLS nor a port', async () => {
  const store = await openQuickStore(ada.url.replace('127.0.0.1', encodeURIComponent(server.folder)))
  expect(await store.authenticate('ada', password)).toMatchObject({ ok: true })
})
