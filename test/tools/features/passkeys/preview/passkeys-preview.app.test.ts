import { expect, test } from 'vitest'
import { SETTINGS } from '../../../../settings.ts'
import { runPreview } from '../../../cli/preview/run-preview.ts'

test('brand preview shows the screen of passkeys only where they are on', async () => {
  expect((await runPreview(SETTINGS)).names).not.toContain('passkey')
  const { names, screens } = await runPreview({ ...SETTINGS, PASSKEYS: 'on' })
  expect(screens[names.indexOf('fresh')]?.html).toContain('id="use-passkey" data-window=""')
  expect(screens[names.indexOf('passkey')]?.html).not.toContain('name="password"')
})
