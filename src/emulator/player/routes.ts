import type { DatabaseSync } from 'node:sqlite'
import { Router } from 'express'
import { CHAT_TABLES, chatRoutes } from './chat.ts'
import { contentFinder } from './content.ts'
import { mediaRoutes } from './media.ts'
import { pageRoutes } from './pages.ts'
import { openPlaybacks, PLAYBACK_TABLES } from './playbacks.ts'
import { validationRoutes } from './validation.ts'
import { type ViewDeps, viewRoutes } from './views.ts'

/** All tables of this folder. */
export const PLAYER_TABLES = PLAYBACK_TABLES + CHAT_TABLES

export interface PlayerDeps {
  readonly database: DatabaseSync
  readonly nowSeconds: () => number
  readonly publicUrl: string
  readonly segments: ViewDeps['segments']
}

/** All routes for viewers: pages, validation, video, chat and view reports. */
export function playerRoutes({ database, nowSeconds, publicUrl, segments }: PlayerDeps): Router {
  const findContent = contentFinder(database)
  const playbacks = openPlaybacks({ database, nowSeconds, findContent })
  return Router()
    .use(pageRoutes({ publicUrl, findContent }))
    .use(validationRoutes({ nowSeconds, findContent, playbacks }))
    .use(mediaRoutes({ playbacks }))
    .use(chatRoutes({ database, nowSeconds, playbacks }))
    .use(viewRoutes({ nowSeconds, playbacks, segments }))
}
