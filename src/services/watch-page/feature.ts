import type { Feature } from '../../login/feature.ts'
import { WATCH_PAGE, watchPageSettings } from './watch-url.ts'

/** Tells other features the address of the page with the video. It adds nothing to the app by itself. */
export const watchPage: Feature<ReturnType<typeof watchPageSettings>, string> = {
  name: WATCH_PAGE,
  settings: watchPageSettings,
  read: ({ watchUrl }) => watchUrl ?? null,
  open: () => Promise.resolve(null),
}
