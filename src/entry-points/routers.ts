import { type RequestHandler, Router } from 'express'
import type { EntryPoint } from './entry-point.ts'

/** An entry point with the brand that features have changed, and its routes. `given`: the settings from which it is made. */
interface Routed {
  readonly given: EntryPoint
  readonly entryPoint: EntryPoint
  readonly routesOf: () => RequestHandler[]
}

/** Leads to entry points, which may change while the app runs. A running request keeps the routes that it has. */
export function createRouters(routedOf: (given: EntryPoint) => Routed) {
  let byPath = new Map<string, Routed & { router?: RequestHandler }>()
  const handler: RequestHandler = (req, res, next) => {
    // One look-up, so that a request costs the same with a thousand entry points.
    const [, first, name] = req.path.split('/', 3)
    const one = byPath.get(first === 'e' ? `/e/${name}` : '/')
    if (!one) return next()
    // Created at the first request, so that the start costs the same too.
    one.router ??= routerOf(one)
    one.router(req, res, next)
  }
  return {
    handler,
    entryPoints: (): readonly EntryPoint[] => [...new Set(byPath.values())].map(({ entryPoint }) => entryPoint),
    /** Serves these entry points. If one cannot be made, all stay as they were. */
    serve(all: readonly EntryPoint[]): void {
      const known = new Map([...byPath.values()].map((one) => [one.given, one]))
      const next = all.map((given) => known.get(given) ?? routedOf(given))
      byPath = new Map(next.flatMap((one) => pathsOf(one.given).map((path) => [path, one])))
    },
  }
}

function routerOf({ given, routesOf }: Routed): Router {
  const routes = routesOf()
  return pathsOf(given).reduce((router, path) => router.use(path, routes), Router({ caseSensitive: true }))
}

/** The entry point at `/` is also below /e. */
function pathsOf({ name, basePath }: EntryPoint): string[] {
  return basePath === '' ? ['/', `/e/${name}`] : [basePath]
}
