import { JPG } from 'image-size/types/jpg'
import { PNG } from 'image-size/types/png'
import { WEBP } from 'image-size/types/webp'
import { imageFile, sizeIn } from '../../brand/logo-file.ts'

/** Every viewer with a large window loads the picture. */
const MOST_BYTES = 500_000
/** A small file can unpack to hundreds of megabytes in each browser. */
const MOST_PIXELS = 4096
const FORMATS = [
  { ending: 'jpg', type: 'image/jpeg', format: JPG },
  { ending: 'png', type: 'image/png', format: PNG },
  { ending: 'webp', type: 'image/webp', format: WEBP },
] as const

export type Picture = ReturnType<typeof readPicture>

/** The path of a JPEG, PNG or WebP. */
export const PictureFile = imageFile(MOST_BYTES, readPicture)

/** @throws RangeError for a file that no screen can show. */
function readPicture(content: Buffer) {
  for (const { ending, type, format } of FORMATS) {
    const size = sizeIn(format, content)
    if (size === null) continue
    const { width, height } = size
    if (Math.max(width, height) <= MOST_PIXELS) return { ending, type, content }
    throw new RangeError(`names a picture of ${width} x ${height} pixels; use at most ${MOST_PIXELS} each way`)
  }
  throw new RangeError('names a file that is not a JPEG, PNG or WebP, or has no size')
}
