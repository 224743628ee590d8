import { constants, publicEncrypt, randomBytes, sign } from 'node:crypto'
import { createServer } from 'node:http'
import { threadPoolSize } from '../../src/users/passwords/hashing-queue.ts'
import { sayStarted } from './report-usage.ts'
import { readTokenKeys } from './token-keys.ts'

/** With the keys of the bench. */
const TOKEN_LENGTH = 1440

process.env.UV_THREADPOOL_SIZE ??= String(threadPoolSize())

/**
 * Does only the RSA work of a token for each request: a signature, and an encrypted key. The answer is as long as one with
 * a token. Argument: the file of keys.
 */
const [file = ''] = process.argv.slice(2)
const { contentKey, serviceKey } = readTokenKeys(file)
const encryption = { key: serviceKey.publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING }
/** Header and claims of a token have about as many bytes. */
const signed = randomBytes(120)
const location = `https://player.example/embed/1?vt=${'x'.repeat(TOKEN_LENGTH)}`

const server = createServer({ keepAliveTimeout: 65_000 }, (_req, res) => {
  sign('RSA-SHA512', signed, contentKey, (error) => {
    if (error) throw error
    publicEncrypt(encryption, randomBytes(64))
    res.writeHead(303, { Location: location, 'Content-Length': '0' }).end()
  })
})
server.listen(0, '127.0.0.1', () => sayStarted(server))
