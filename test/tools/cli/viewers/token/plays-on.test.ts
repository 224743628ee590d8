import { expect, test } from 'vitest'
import { playsUntil } from '../../../../../src/tools/cli/viewers/who-is-in/plays-until.ts'
import { tokenEntryPoint } from '../../../../features/token/entry-point.ts'

test('a player with a token plays on without an end, because it reads its token only once', () => {
  expect(playsUntil([tokenEntryPoint()], 1000, 1000)).toMatchObject({ seconds: Infinity, isResponse: false })
})
