import type { Brand } from '../../brand/brand.ts'
import { textColorOn } from '../../brand/contrast.ts'
import { brandAsset, logoAsset } from './assets.ts'

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
