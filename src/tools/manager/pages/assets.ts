import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { RequestHandler } from 'express'
import type { Brand } from '../../../brand/brand.ts'
import { type Asset, digestOf } from '../../../login/screens/assets.ts'
import { brandAssetsOf } from '../../../login/screens/brand-assets.ts'

const FOLDER = new URL('../public/', import.meta.url)

export type ManagerAssets = ReturnType<typeof openAssets>

/**
 * Reads the files of the page. They are not in the folder `public` of the app, because the login app serves that folder.
 * @param brand of the login screens.
 */
export function openAssets(brand: Brand) {
  const read = (name: string) => readFileSync(new URL(name, FOLDER))
  const names = readdirSync(FOLDER).toSorted()
  // One style sheet of several files: the first rules come first.
  const css = Buffer.concat(names.filter((name) => name.endsWith('.css')).map(read))
  const contents = [
    ['manager.css', css] as const,
    ...names.filter((name) => !name.endsWith('.css')).map((name) => [name, read(name)] as const),
  ]
  const own = contents.map(([name, content]): [string, Asset] => {
    return [name, { address: `/assets/${name}?v=${digestOf(content)}`, type: extname(name), content }]
  })
  const { stylesheet, logo, darkLogo } = brandAssetsOf(brand)
  const ofBrand = [stylesheet, logo, darkLogo].filter((asset) => asset !== null)
  const all = [...own.map(([, asset]) => asset), ...ofBrand]
  const byPath = new Map(all.map((asset) => [asset.address.split('?', 1)[0], asset]))
  const addresses = new Map(own.map(([name, { address }]) => [name, address]))
  const serve: RequestHandler = (req, res, next) => {
    const asset = byPath.get(req.baseUrl + req.path)
    if (asset === undefined || (req.method !== 'GET' && req.method !== 'HEAD')) return void next()
    for (const [name, value] of Object.entries(asset.headers ?? {})) res.setHeader(name, value)
    const isCurrent = req.originalUrl === asset.address
    res.setHeader('Cache-Control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache')
    res.type(asset.type).send(asset.content)
  }
  return {
    serve,
    address: (name: string): string => addresses.get(name) ?? '',
    styles: [addresses.get('manager.css') ?? '', ...(stylesheet ? [stylesheet.address] : [])],
    logo: logo?.address ?? null,
    darkLogo: darkLogo?.address ?? null,
  }
}
