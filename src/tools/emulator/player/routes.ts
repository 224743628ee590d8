import { Router } from 'express'
import type { OpenServiceFeature } from '../service-feature.ts'
import { chatRoutes } from './chat.ts'
import { contentFinder } from './content.ts'
import { mediaRoutes } from './media.ts'
import { pageRoutes } from './pages.ts'
import { openPlaybacks, type PlayerDeps } from './playbacks.ts'
import { validationRoutes } from './validation.ts'
import { viewRoutes } from './views.ts'

/** All routes for viewers: pages, validation, video, chat and view reports. */
export function playerRoutes({
  features,
  ...given
}: Omit<PlayerDeps, 'findContent' | 'playbacks'> & {
  readonly features: readonly Pick<OpenServiceFeature, 'findLock'>[]
}): Router {
  const findContent = contentFinder(given.database, features)
  const playbacks = openPlaybacks({ ...given, findContent })
  const deps = { ...given, findContent, playbacks }
  return Router()
    .use(pageRoutes(deps))
    .use(validationRoutes(deps))
    .use(mediaRoutes(deps))
    .use(chatRoutes('chat', deps))
    .use(chatRoutes('qna', deps))
    .use(viewRoutes(deps))
}
