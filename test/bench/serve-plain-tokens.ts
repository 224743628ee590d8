import { createServer } from 'node:http'
import { CompactEncrypt, SignJWT } from 'jose'
import { threadPoolSize } from '../../src/users/passwords/hashing-queue.ts'
import { plainDuties } from './plain-duties.ts'
import { type PlainSettings, plainExpress } from './plain-express.ts'
import { sayStarted } from './report-usage.ts'
import { readSessionList } from './session-list.ts'
import { readTokenKeys } from './token-keys.ts'

process.env.UV_THREADPOOL_SIZE ??= String(threadPoolSize())

/**
 * The plain app with the duties of the login app, and a token in place of the response. Arguments: the settings as JSON,
 * the list of sessions, a file for the duties, and the file of keys.
 */
const [settings = '', sessionList = '', database = '', keys = ''] = process.argv.slice(2)
const plainSettings = JSON.parse(settings) as PlainSettings
const { contentKey, serviceKey } = readTokenKeys(keys)
const duties = plainDuties(database, readSessionList(sessionList))
const server = createServer(plainExpress(plainSettings, duties, plainTokenAddress))
server.listen(0, '127.0.0.1', () => sayStarted(server))

async function plainTokenAddress(username: string): Promise<string> {
  const iat = Math.floor(Date.now() / 1000) - 5
  const signed = await new SignJWT({ sub: username, iat })
    .setProtectedHeader({ alg: 'RS512', typ: 'JWT' })
    .sign(contentKey)
  const token = await new CompactEncrypt(Buffer.from(signed))
    .setProtectedHeader({ alg: 'RSA-OAEP', enc: 'A256CBC-HS512', typ: 'JWT', kid: serviceKey.kid })
    .encrypt(serviceKey.publicKey)
  return `${plainSettings.returnUrl}?vt=${token}`
}
