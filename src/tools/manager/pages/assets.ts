import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Brand } from '../../../brand/brand.ts'
import { type Asset, readAssets, serveFiles } from '../../../login/screens/assets.ts'
import { brandAssetsOf } from '../../../login/screens/brand-assets.ts'

const FOLDER = fileURLToPath(new URL('../public', import.meta.url))

export type ManagerAssets = ReturnType<typeof openAssets>

/**
 * Reads the files of the page. They are not in the folder `public` of the app, because the login app serves that folder.
 * @param brand of the login screens.
 * @param ofParts files of the parts of the page.
 */
export function openAssets(brand: Brand, ofParts: readonly Asset[]) {
  const styles = readdirSync(FOLDER).filter((name) => name.endsWith('.css'))
  const own = readAssets(FOLDER, 'manager.css', styles.toSorted())
  const { stylesheet, logo, darkLogo } = brandAssetsOf(brand)
  const ofBrand = [stylesheet, logo, darkLogo].filter((asset) => asset !== null)
  const address = (name: string): string => own.get(name)?.address ?? ''
  return {
    serve: serveFiles([...own.values(), ...ofBrand, ...ofParts], {}, (_req, _res, next) => next()),
    address,
    styles: [address('manager.css'), ...(stylesheet ? [stylesheet.address] : [])],
    logo: logo?.address ?? null,
    darkLogo: darkLogo?.address ?? null,
  }
}
