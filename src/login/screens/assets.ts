import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RequestHandler } from 'express'
import type { Logo } from '../../brand/brand.ts'
import type { Headers } from './headers.ts'

/** A file in memory. */
export interface Asset {
  /** The path with its query. Changes with the content, so browsers may keep the file forever. */
  readonly address: string
  /** A media type, or the ending of a file. */
  readonly type: string
  readonly content: Buffer
  /** These replace headers of the app with the same name. */
  readonly headers?: Headers
}

const PUBLIC = fileURLToPath(new URL('../../../public', import.meta.url))
/** The parts of `screen.css`, the style sheet of every screen. One file saves a browser three requests. */
const SCREEN_STYLES = ['login.css', 'controls.css', 'sizes.css', 'small-players.css', 'script.css']

/**
 * An SVG may contain anything. In an `img`, browsers run and load nothing of it. This policy does the same where a person
 * opens the file as a page.
 */
const ASSET_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/** `screen.css` and the files of `public`, by name. */
const files = readAssets(PUBLIC, 'screen.css', SCREEN_STYLES)

/**
 * Reads a folder and the folders in it. Leaves out hidden files, such as `.DS_Store`.
 * @param styles the style sheets that are joined, in this order, under the name `stylesheet`.
 */
export function readAssets(folder: string, stylesheet: string, styles: readonly string[]): ReadonlyMap<string, Asset> {
  const read = (name: string) => readFileSync(join(folder, name))
  const isFile = (name: string) => statSync(join(folder, name)).isFile()
  const names = readdirSync(folder, { encoding: 'utf8', recursive: true })
    .filter((name) => !name.split(sep).some((part) => part.startsWith('.')))
    .filter(isFile)
  const contents = names.map((name) => [name.replaceAll(sep, '/'), read(name)] as const)
  return new Map([...contents, [stylesheet, Buffer.concat(styles.map(read))] as const].map(toEntry))
}

function toEntry([name, content]: readonly [name: string, content: Buffer]): [string, Asset] {
  return [name, { address: `/assets/${encodeURI(name)}?v=${digestOf(content)}`, type: extname(name), content }]
}

/** Returns ten characters that change with the content, for an address. */
function digestOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 10)
}

export function logoAsset({ type, content }: Logo): Asset {
  return brandAsset(type === 'image/png' ? 'png' : 'svg', type, content)
}

/** Returns a file whose address changes with its content. Nothing in it runs or loads where a person opens the address. */
export function brandAsset(ending: string, type: string, content: Buffer): Asset {
  const headers = { 'Content-Security-Policy': ASSET_POLICY }
  return { address: `/assets/brand-${digestOf(content)}.${ending}`, type, content, headers }
}

/** Returns a file in `public`, or `screen.css`. @throws Error if the file does not exist. */
export function assetNamed(name: string): Asset {
  const file = files.get(name)
  if (file === undefined) throw new Error(`public/${name} does not exist`)
  return file
}

export function assetAddress(name: string): string {
  return assetNamed(name).address
}

/** Serves the files of `public` and of brands below `/assets`. See serveFiles(). */
export function serveAssets(
  brandAssets: readonly Asset[],
  headers: Headers,
  refuseMethod: RequestHandler,
): RequestHandler {
  return serveFiles([...files.values(), ...brandAssets], headers, refuseMethod)
}

/**
 * Serves files below `/assets`, from memory. Only the address that the screens use is
 * cached for a year. A cache asks again for another version in the query, so it never keeps the content of another
 * release.
 */
export function serveFiles(assets: readonly Asset[], headers: Headers, refuseMethod: RequestHandler): RequestHandler {
  const byPath = new Map(
    assets.map((asset) => {
      // A style sheet of a fork may name a font or an image without its version: then a browser asks each time.
      const all = { ...headers, ...asset.headers, ETag: `"${asset.address}"` }
      return [asset.address.split('?', 1)[0], { ...asset, headers: new Map(Object.entries(all)) }]
    }),
  )
  return (req, res, next) => {
    const asset = byPath.get(req.baseUrl + req.path)
    if (asset === undefined) return void next()
    if (req.method !== 'GET' && req.method !== 'HEAD') return void refuseMethod(req, res, next)
    const isCurrent = req.originalUrl === asset.address
    res.setHeaders(asset.headers)
    res.setHeader('Cache-Control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache')
    res.type(asset.type).send(asset.content)
  }
}
