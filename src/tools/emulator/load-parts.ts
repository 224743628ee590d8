import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Loads the part of each feature that has one: the export of this name in `NAME/FILE.ts`. No list names the features, so
 * that a fork removes one by deleting its folder.
 * @param folder the address of a file in the folder that holds the features.
 */
export async function loadParts<Part>(folder: string, name: string): Promise<readonly Part[]> {
  const root = new URL('.', folder)
  const paths = globSync(`*/${name}.ts`, { cwd: fileURLToPath(root) }).sort()
  const modules: Record<string, Part>[] = await Promise.all(paths.map((path) => import(new URL(path, root).href)))
  return modules.flatMap((module) => module[name] ?? [])
}
