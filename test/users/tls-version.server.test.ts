import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createSecureContext, type SecureVersion, TLSSocket } from 'node:tls'
import pino from 'pino'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { openRedisLink } from '../../src/redis/link.ts'
import { openHttpStore } from '../../src/users/http/store.ts'
import { openLdapStore } from '../../src/users/ldap/store.ts'
import { openPostgresStore } from '../../src/users/postgres/store.ts'
import { redisAddress } from '../redis/servers/redis.ts'
import { type Certificate, makeCertificate } from '../servers/certificate.ts'
import { ldapSettings } from './ldap/settings-of.ts'
import { settingsOf } from './postgres/fixture.ts'

let own: Certificate
beforeAll(async () => {
  own = await makeCertificate()
})

/** Starts a server of one TLS version. Counts the connections that it could and could not encrypt. */
async function startServer(
  version: SecureVersion,
): Promise<{ port: number; encrypted: () => number; tried: () => number }> {
  const counts = { encrypted: 0, failed: 0 }
  // OpenSSL allows old versions only at the lowest level.
  const ciphers = 'DEFAULT@SECLEVEL=0'
  const secureContext = createSecureContext({
    key: own.key,
    cert: own.certificate,
    ciphers,
    minVersion: version,
    maxVersion: version,
  })
  const encrypt = (socket: Socket) => {
    const secure = new TLSSocket(socket, { isServer: true, secureContext })
    secure.on('error', () => {
      counts.failed += 1
    })
    secure.once('secure', () => {
      counts.encrypted += 1
      secure.destroy()
    })
  }
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (first) => {
      // PostgreSQL asks for TLS with eight bytes, and the server agrees with one. Others begin with the handshake.
      if (first.length !== 8) {
        socket.pause()
        socket.unshift(first)
        encrypt(socket)
        return
      }
      socket.write('S')
      encrypt(socket)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { port, encrypted: () => counts.encrypted, tried: () => counts.encrypted + counts.failed }
}

const timeoutMs = 2_000
const CLIENTS: readonly (readonly [string, (port: number) => Promise<unknown>])[] = [
  [
    'the HTTP store',
    async (port) => {
      const url = `https://localhost:${port}/sign-in`
      const settings = { kind: 'http', url, findUrl: null, token: 'x', timeoutMs, ca: own.certificate } as const
      return await openHttpStore(settings).authenticate('ada', 'x')
    },
  ],
  [
    'the LDAP store',
    async (port) => {
      const reader = { dn: 'cn=reader', password: 'x' }
      const settings = ldapSettings(
        { ldapUrl: `ldaps://localhost:${port}`, reader },
        { ca: own.certificate, timeoutMs },
      )
      return await openLdapStore(settings).authenticate('ada', 'x')
    },
  ],
  [
    'the PostgreSQL store',
    async (port) => {
      const url = `postgres://app:x@localhost:${port}/app?sslmode=verify-full`
      const { tls: _tls, ...settings } = settingsOf(url)
      const store = await openPostgresStore({ ...settings, tls: { ca: own.certificate } })
      return await store.authenticate('ada', 'x')
    },
  ],
  [
    'Redis',
    async (port) => {
      const server = redisAddress({ url: `rediss://localhost:${port}` }, own.certificate)
      const address = { ...server, nodes: [{ host: 'localhost', port }] }
      const log = pino({ level: 'silent' })
      const options = { setting: 'SESSION_STORE_URL', without: 'x', log, nowSeconds: () => Date.now() / 1000 } as const
      const link = await openRedisLink(address, options)
      onTestFinished(() => link.close())
    },
  ],
]

test.each(CLIENTS)('%s refuses a server that speaks only TLS 1.1', async (_name, connect) => {
  const old = await startServer('TLSv1.1')
  await connect(old.port).catch(() => {})
  await expect.poll(old.tried).toBeGreaterThan(0)
  expect(old.encrypted()).toBe(0)
})

test.each(CLIENTS)('%s accepts a server that speaks only TLS 1.2', async (_name, connect) => {
  const current = await startServer('TLSv1.2')
  await connect(current.port).catch(() => {})
  await expect.poll(current.encrypted).toBeGreaterThan(0)
})
