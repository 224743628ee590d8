import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const VIEWS = join(import.meta.dirname, '../../views')
const ROW = /^\| `([^`]+)` \| `([^`]+)` \| (?:[^|]+) \|$/gm
const FORM = /<form\b(?:<%.*?%>|[^>])*? method="post"[^>]*? action="((?:<%.*?%>|[^"])*)"/g

/** Returns each form that posts, as `template action`. An action of our own pages is below the base path. */
function forms(): string[] {
  return globSync('**/*.ejs', { cwd: VIEWS }).flatMap((file) => {
    const html = readFileSync(join(VIEWS, file), 'utf8')
    return [...html.matchAll(FORM)].map(([, action = '']) => `views/${file} ${action.replace('<%= basePath %>', '')}`)
  })
}

test('the README says of every form what a second post does', () => {
  const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')
  const rows = [...readme.matchAll(ROW)].map(([, template, action]) => `${template} ${action}`)
  expect(rows.toSorted()).toEqual([...new Set(forms())].toSorted())
})
