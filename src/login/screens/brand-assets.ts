import { createHash } from 'node:crypto'
import type { RequestHandler } from 'express'
import type { Brand, Logo } from '../../brand/brand.ts'
import { textColorOn } from '../../brand/contrast.ts'
import type { Headers } from './headers.ts'

/** A file made from the settings. The address changes with the content, so browsers may keep the file forever. */
export interface BrandAsset {
  readonly address: string
  readonly type: string
  readonly content: Buffer
}

/**
 * An SVG may contain anything. In an `img`, browsers run and load nothing of it. This policy does the same where a person
 * opens the file as a page.
 */
const ASSET_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

export type BrandAssets = Readonly<ReturnType<typeof brandAssetsOf>>

export function brandAssetsOf({ colors, logo, darkLogo }: Brand) {
  return {
    stylesheet: colors && toAsset('css', 'text/css; charset=utf-8', Buffer.from(stylesheetOf(colors))),
    logo: logo && logoAsset(logo),
    darkLogo: darkLogo && logoAsset(darkLogo),
  }
}

/** Serves the assets of these brands, by their whole path. */
export function serveBrandAssets(brands: readonly Brand[], headers: Headers): RequestHandler {
  const assets = brands.flatMap((brand) => Object.values(brandAssetsOf(brand)).filter((asset) => asset !== null))
  const byAddress = new Map(assets.map((asset) => [asset.address, asset]))
  return (req, res, next) => {
    const asset = req.method === 'GET' || req.method === 'HEAD' ? byAddress.get(req.originalUrl) : undefined
    if (asset === undefined) return next()
    res.writeHead(200, {
      ...headers,
      'Content-Security-Policy': ASSET_POLICY,
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Content-Type': asset.type,
      'Content-Length': asset.content.length,
    })
    res.end(req.method === 'HEAD' ? undefined : asset.content)
  }
}

function logoAsset({ type, content }: Logo): BrandAsset {
  return toAsset(type === 'image/png' ? 'png' : 'svg', type, content)
}

function toAsset(ending: string, type: string, content: Buffer): BrandAsset {
  const digest = createHash('sha256').update(content).digest('base64url').slice(0, 10)
  return { address: `/assets/brand-${digest}.${ending}`, type, content }
}

function stylesheetOf({ light, dark }: NonNullable<Brand['colors']>): string {
  const textOnDark = textColorOn(dark)
  return [
    `:root { --accent: light-dark(${light}, ${dark}); --on-accent: light-dark(#fff, ${textOnDark}) }`,
    // Browsers without light-dark() show the dark screens, as in login.css.
    '@supports not (color: light-dark(#000, #fff)) {',
    `  :root { --accent: ${dark}; --on-accent: ${textOnDark} }`,
    '}',
    '',
  ].join('\n')
}
