import type { Brand, Logo } from '../../brand/brand.ts'
import { textColorOn } from '../../brand/contrast.ts'
import { type Asset, digestOf } from './assets.ts'

/**
 * An SVG may contain anything. In an `img`, browsers run and load nothing of it. This policy does the same where a person
 * opens the file as a page.
 */
const ASSET_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

export type BrandAssets = Readonly<ReturnType<typeof brandAssetsOf>>

/** Returns the files that the settings of a brand make; null for one that the brand does not set. */
export function brandAssetsOf({ colors, logo, darkLogo, assets = [] }: Brand) {
  return {
    stylesheet: colors && brandAsset('css', 'text/css; charset=utf-8', Buffer.from(stylesheetOf(colors))),
    logo: logo && logoAsset(logo),
    darkLogo: darkLogo && logoAsset(darkLogo),
    ofFeatures: assets,
  }
}

export function logoAsset({ type, content }: Logo): Asset {
  return brandAsset(type === 'image/png' ? 'png' : 'svg', type, content)
}

/** Returns a file whose address changes with its content. Nothing in it runs or loads where a person opens the address. */
export function brandAsset(ending: string, type: string, content: Buffer): Asset {
  const headers = { 'Content-Security-Policy': ASSET_POLICY }
  return { address: `/assets/brand-${digestOf(content)}.${ending}`, type, content, headers }
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
