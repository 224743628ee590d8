import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Loads the part of each feature that has one: the export `name` of `FEATURE/name.ts`. No list names the features, so that
 * a fork removes a feature by deleting its folder.
 * @param fileUrl the caller's `import.meta.url`. The folders of the features are beside the caller.
 */
export async function loadParts<Part>(fileUrl: string, name: string): Promise<readonly Part[]> {
  const root = new URL('.', fileUrl)
  const paths = globSync(`*/${name}.ts`, { cwd: fileURLToPath(root) }).sort()
  const modules: Record<string, Part>[] = await Promise.all(paths.map((path) => import(new URL(path, root).href)))
  return modules.flatMap((module) => module[name] ?? [])
}
