import { PNG } from 'image-size/types/png'
import { SVG } from 'image-size/types/svg'
import { z } from 'zod'
import { orUndefined } from '../errors.ts'
import { fail, reasonOf } from '../settings/fields.ts'
import { readNamedBytes } from '../settings/named-file.ts'
import type { Logo } from './brand.ts'

/** Every viewer of an event loads the logo, and a logo of 40 px needs far less. */
const MOST_BYTES = 100_000
/** A small file can unpack to hundreds of megabytes in each browser. */
const MOST_PIXELS = 4096

/** The path of an SVG or PNG. It may contain anything: `brand-assets.ts` serves it so that nothing in it runs or loads. */
export const LogoFile = imageFile(MOST_BYTES, readLogo)

/** The path of an image. @param parse throws RangeError with the end of a sentence. */
export function imageFile<T>(mostBytes: number, parse: (content: Buffer) => T) {
  return z.string('must be the path of a file').transform((path, context): T => {
    const read = readNamedBytes(path, mostBytes)
    if ('fault' in read) return fail(context, read.fault)
    try {
      return parse(read.content)
    } catch (error) {
      return fail(context, reasonOf(error))
    }
  })
}

type ImageFormat = Pick<typeof PNG, 'validate' | 'calculate'>

/** Returns the size of an image in pixels; null for a file of another format, cut short, or without a size. */
export function sizeIn(format: ImageFormat, content: Buffer): { width: number; height: number } | null {
  const { width = 0, height = 0 } = orUndefined(() => format.validate(content) && format.calculate(content)) || {}
  return width > 0 && height > 0 ? { width, height } : null
}

/** @throws RangeError for a file that no screen can show. */
function readLogo(content: Buffer): Logo {
  const isPng = content[0] === 0x89
  const { width, height } = isPng ? sizeOf(PNG, content) : sizeOf(SVG, withoutCommas(content))
  if (!isPng && !content.includes('viewBox=')) {
    throw new RangeError('names an SVG without a viewBox. Add it: the screens need it to scale the logo')
  }
  if (isPng && Math.max(width, height) > MOST_PIXELS) {
    throw new RangeError(`names a PNG of ${width} x ${height} pixels; a logo has at most ${MOST_PIXELS} each way`)
  }
  return { type: isPng ? 'image/png' : 'image/svg+xml', content, width, height }
}

/** Returns the text of an SVG as image-size reads it: it does not know a viewBox of "0,0,120,40". */
function withoutCommas(content: Buffer): Buffer {
  return Buffer.from(content.toString().replaceAll(',', ' '))
}

function sizeOf(format: ImageFormat, content: Buffer) {
  const size = sizeIn(format, content)
  if (size !== null) return size
  throw new RangeError('names a file that is neither an SVG nor a PNG, or has no size')
}
