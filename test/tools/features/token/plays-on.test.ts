import { expect, test } from 'vitest'
import { playsUntil } from '../../../../src/tools/cli/viewers/who-is-in/plays-until.ts'
import { noteOf } from '../../../../src/tools/cli/viewers/who-is-in/put-out-notes.ts'
import { tokenEntryPoint } from '../../../features/token/entry-point.ts'
import { entryPointAt } from '../../../login/entry-point.ts'

test('a player with a token plays on without an end, because it reads its token only once', () => {
  expect(playsUntil([tokenEntryPoint()], 1000, 1000, [])).toMatchObject({ seconds: Infinity, isResponse: false })
})

test('the note of a viewer who may have got a response or a token says both, each where it is true', () => {
  const gold = { ...entryPointAt('gold'), lifetimeSeconds: 600 }
  const tokens = { ...tokenEntryPoint(), name: 'tokens' }
  const both = noteOf([gold, tokens], 1000, [])
  expect(both).toMatch(
    /^An open player plays on at entry point gold until .* at the latest, when its response expires\./,
  )
  expect(both).toContain('An open player that got a token, at entry point tokens, plays on until it is reloaded:')
  expect(noteOf([tokens], 1000, [])).toBe('An open player plays on until it is reloaded: its token is read only once.')
})
