import { constants, publicEncrypt, randomBytes, sign } from 'node:crypto'
import { createServer } from 'node:http'
import { threadPoolSize } from '../../src/users/passwords/hashing-queue.ts'
import { sayStarted } from './report-usage.ts'
import { readTokenKeys } from './token-keys.ts'

process.env.UV_THREADPOOL_SIZE ??= String(threadPoolSize())

/** Does only the RSA work of a token for each request: a signature, and an encrypted key. Argument: the file of keys. */
const [file = ''] = process.argv.slice(2)
const { contentKey, serviceKey } = readTokenKeys(file)
const encryption = { key: serviceKey.publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING }
/** Header and claims of a token have about as many bytes. */
const signed = randomBytes(120)

const server = createServer({ keepAliveTimeout: 65_000 }, (_req, res) => {
  sign('RSA-SHA512', signed, contentKey, (error) => {
    if (error) throw error
    publicEncrypt(encryption, randomBytes(64))
    res.writeHead(303, { 'Content-Length': '0' }).end()
  })
})
server.listen(0, '127.0.0.1', () => sayStarted(server))
