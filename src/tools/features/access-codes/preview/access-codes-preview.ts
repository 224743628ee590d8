import { accessCodesOf } from '../../../../features/access-codes/fields.ts'
import { codeScreenPart, PROMPT } from '../../../../features/access-codes/screen-part.ts'
import type { FeatureScenes } from '../../../cli/preview/screen.ts'

/** The form of access codes, without the guests store. */
export const accessCodesPreview: FeatureScenes = {
  open: () => ({
    at: (entryPoint) => {
      const settings = accessCodesOf(entryPoint)
      return settings === null ? {} : { screenPart: codeScreenPart(settings) }
    },
  }),
  async screens({ app, fields }) {
    const { html } = await app.get('', { fields: { ...fields, prompt: PROMPT } })
    return [{ name: 'access code', html }]
  },
}
