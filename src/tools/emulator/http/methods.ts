import type { RequestHandler, Router } from 'express'
import { onlyMethods } from '../../../server/only-methods.ts'
import { sendJsonError } from './json-error.ts'

/** In the order of the header `Allow`. */
const METHODS = ['get', 'put', 'post', 'delete'] as const
type Handlers = Partial<Record<(typeof METHODS)[number], RequestHandler | readonly RequestHandler[]>>

type SendWrongMethod = Parameters<typeof onlyMethods>[1]

const inJson: SendWrongMethod = (_req, res, description) => sendJsonError(res, 405, 'invalid_request', description)

/** Returns a function that adds the handlers of a path, by method. All other methods get 405. */
export function routesOf(router: Router, sendWrongMethod = inJson) {
  return (path: string, handlers: Handlers): void => {
    const route = router.route(path)
    const allowed = METHODS.filter((method) => handlers[method] !== undefined)
    for (const method of allowed) route[method](...[handlers[method] ?? []].flat())
    route.all(onlyMethods(allowed.join(', ').toUpperCase().replace('GET', 'GET, HEAD'), sendWrongMethod))
  }
}
