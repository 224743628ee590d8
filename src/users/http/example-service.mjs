// A login service to start from: copy this file, and put your own users in place of USERS. It needs only Node.
//   HTTP_STORE_TOKEN=a-long-random-token node example-service.mjs 4500
import { createHash, scrypt, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { argv, env, stdout } from 'node:process'
import { promisify } from 'node:util'

const hashOf = (password) => promisify(scrypt)(password, 'use one random salt for each user', 32)
const hash = await hashOf('seven quiet herons')
const USERS = new Map([
  ['ada@example.com', { username: 'Ada@example.com', hash, groups: ['staff'], attributes: { seat: '12' } }],
  ['gone@example.com', { username: 'gone@example.com', hash, disabled: true }],
])
/** Compared for unknown users, so that they take the same time. */
const DECOY = await hashOf('nobody has this password')
const digestOf = (text = '') => createHash('sha256').update(text).digest()
const TOKEN = digestOf(`Bearer ${env.HTTP_STORE_TOKEN}`)

async function answerTo(path, { username, password }) {
  const user = USERS.get(String(username).toLowerCase())
  const viewer = { username: user?.username, groups: user?.groups, attributes: user?.attributes }
  if (path === '/find') return user && !user.disabled ? [200, viewer] : [404]
  const isRight = timingSafeEqual(await hashOf(String(password)), user?.hash ?? DECOY)
  if (!user || !isRight) return [401]
  return user.disabled ? [403] : [200, viewer]
}

const server = createServer(async (req, res) => {
  const isApp = env.HTTP_STORE_TOKEN && timingSafeEqual(digestOf(req.headers.authorization), TOKEN)
  if (!isApp) return res.writeHead(401, { 'WWW-Authenticate': 'Bearer error="invalid_token"' }).end()
  try {
    const parts = await req.toArray()
    if (req.method !== 'POST') return res.writeHead(405).end()
    const [status, viewer = {}] = await answerTo(req.url, JSON.parse(Buffer.concat(parts)))
    res.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
    res.end(JSON.stringify(viewer))
  } catch {
    res.writeHead(400).end()
  }
})
server.listen(Number(argv[2] ?? 4500), '127.0.0.1', () => {
  stdout.write(`http://127.0.0.1:${server.address().port}/sign-in\n`)
})
