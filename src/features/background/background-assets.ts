import { type Asset, brandAsset } from '../../login/screens/assets.ts'
import type { Picture } from './picture-file.ts'

/** Returns the picture of an entry point, and the style sheet that shows it. */
export function backgroundAssets({ ending, type, content }: Picture): Asset[] {
  const picture = brandAsset(ending, type, content)
  return [picture, brandAsset('css', 'text/css; charset=utf-8', Buffer.from(stylesheetOf(picture.address)))]
}

/**
 * Builds the style sheet. All text stands on the card, which hides the picture, so the picture changes no contrast. A
 * window with a card has at least 640 x 609 pixels. In a player, the card is a column between two strips of the picture,
 * with as much room for its content as without the picture: players below 960 x 360 have no room for strips. A browser
 * loads the picture only where it shows it.
 */
function stylesheetOf(address: string): string {
  const player = '(min-width: 60em) and (min-height: 22.5em) and (forced-colors: none)'
  return `@media (min-width: 40em) and (min-height: 38.01em) and (forced-colors: none), ${player} {
  html {
    background: linear-gradient(rgb(0 0 0 / 0.5), rgb(0 0 0 / 0.5)), #0c0d11 url("${address}") center / cover no-repeat fixed;
  }
}

@media ${player} and (max-height: 38em) {
  body {
    padding-block: 0;
  }

  .card {
    max-width: 50rem;
    min-height: 100vh;
    padding: var(--gap) 2rem;
    box-shadow: 0 0 2.5rem rgb(0 0 0 / 0.32);
  }
}
`
}
