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
  ['4711', { username: '4711', hash, attributes: { mail: 'Grace@example.com' } }],
  ['4712', { username: '4712', hash, attributes: { mail: 'desk@example.com' } }],
  ['4713', { username: '4713', hash, attributes: { mail: 'desk@example.com' } }],
])
/** Compared for unknown users, so that they take the same time. */
const DECOY = await hashOf('nobody has this password')
const digestOf = (text = '') => createHash('sha256').update(text).digest()
const TOKEN = digestOf(`Bearer ${env.HTTP_STORE_TOKEN}`)

const viewerOf = ({ username, groups, attributes }) => ({ username, groups, attributes })

/** For MAIL_SIGN_IN=store: the app sends the address in lower case. Find only addresses that you have verified. */
function answerToAddress(attribute, address) {
  const isOwner = (user) => !user.disabled && String(user.attributes?.[attribute]).toLowerCase() === address
  const [owner, other] = [...USERS.values()].filter(isOwner)
  if (!owner) return [404]
  return other ? [409] : [200, viewerOf(owner)]
}

async function answerTo(path, { username, password, attribute, address }) {
  if (path === '/find' && address !== undefined) return answerToAddress(attribute, address)
  const user = USERS.get(String(username).toLowerCase())
  if (path === '/find') return user && !user.disabled ? [200, viewerOf(user)] : [404]
  const isRight = timingSafeEqual(await hashOf(String(password)), user?.hash ?? DECOY)
  if (!user || !isRight) return [401]
  return user.disabled ? [403] : [200, viewerOf(user)]
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
