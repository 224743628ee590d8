import { defineFeature } from '../../login/feature.ts'
import { PictureFile } from './picture-file.ts'

const settings = () => ({ brandBackgroundFile: PictureFile.optional() })

/** A picture behind the card of the screens. */
export const background = defineFeature({
  name: 'background',
  settings,
  read: ({ brandBackgroundFile }) => brandBackgroundFile ?? null,
  async open() {
    const { backgroundAssets } = await import('./background-assets.ts')
    return {
      at: (_entryPoint, picture) => ({
        brand: (brand) => ({ ...brand, assets: [...(brand.assets ?? []), ...backgroundAssets(picture)] }),
      }),
    }
  },
})
