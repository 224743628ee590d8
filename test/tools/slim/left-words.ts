import type { slimmed } from '../../../src/tools/slim/slim.ts'
import { wordPattern } from '../../../src/tools/slim/texts.ts'

/** What stores keep of viewers stays readable: a table of a database is not removed. */
const DATA = /^src\/users\/|^src\/tools\/cli\/viewers\/(?:show|sessions)/

/** Finds the lines that still name a removed part, as `file:line: text`. */
export function leftWords({ tree, removed }: Pick<ReturnType<typeof slimmed>, 'tree' | 'removed'>): string[] {
  const words = removed.flatMap((part) => part.words.map(wordPattern))
  return [...tree]
    .filter(([path]) => !DATA.test(path) && !/^test\/|^\.ci\/|part\.json$|^package(?:-lock)?\.json$/.test(path))
    .flatMap(([path, text]) =>
      text
        .split('\n')
        .flatMap((line, index) =>
          words.some((word) => word.test(line)) ? `${path}:${index + 1}: ${line.trim()}` : [],
        ),
    )
}
