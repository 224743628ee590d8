import type { DatabaseSync } from 'node:sqlite'
import { Router } from 'express'
import type { OpenServiceFeature } from '../service-feature.ts'
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
  readonly features: readonly Pick<OpenServiceFeature, 'findLock' | 'parameter'>[]
}

/** All routes for viewers: pages, validation, video, chat and view reports. */
export function playerRoutes({ database, nowSeconds, publicUrl, segments, features }: PlayerDeps): Router {
  const findContent = contentFinder(database, features)
  const playbacks = openPlaybacks({ database, nowSeconds, findContent })
  const answerParameters = features.map(({ parameter }) => parameter)
  return Router()
    .use(pageRoutes({ publicUrl, nowSeconds, findContent, playbacks, answerParameters }))
    .use(validationRoutes({ nowSeconds, findContent, playbacks }))
    .use(mediaRoutes({ playbacks }))
    .use(chatRoutes('chat', { database, nowSeconds, playbacks }))
    .use(chatRoutes('qna', { database, nowSeconds, playbacks }))
    .use(viewRoutes({ nowSeconds, playbacks, segments }))
}
