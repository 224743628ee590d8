import { Router } from 'express'
import { controlRoutes } from './control.ts'
import type { DeveloperDeps } from './developer-deps.ts'
import { developerPages } from './pages.ts'

/** The home page, and everything below `/emulator`. */
export function developerRoutes(deps: DeveloperDeps): Router {
  return Router().use(developerPages(deps)).use('/emulator', controlRoutes(deps))
}
