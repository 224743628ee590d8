import { z } from 'zod'
import { fail, reasonOf } from '../settings/fields.ts'
import { readNamedBytes } from '../settings/named-file.ts'
import type { Logo } from './brand.ts'
import { readPngLogo } from './png-logo.ts'
import { readSvgLogo } from './svg-logo.ts'

/** Every viewer of an event loads the logo, and a logo of 40 px needs far less. */
const MOST_BYTES = 100_000
/** The byte order mark of another encoding is not readable as UTF-8. */
const MARKUP = /^[\ufeff\ufffd]*\s*</

/** The path of an SVG or PNG. Checked like an upload, because the app serves the file from its own origin. */
export const LogoFile = z.string('must be the path of a file').transform((path, context): Logo => {
  const read = readNamedBytes(path, MOST_BYTES)
  if ('fault' in read) return fail(context, read.fault)
  try {
    return readLogo(read.content)
  } catch (error) {
    return fail(context, reasonOf(error))
  }
})

/** @throws RangeError for a file that no screen may show. */
function readLogo(content: Buffer): Logo {
  if (content[0] === 0x89) return readPngLogo(content)
  if (MARKUP.test(content.toString('utf8', 0, 1000))) return readSvgLogo(content)
  throw new RangeError('names a file that is neither an SVG nor a PNG')
}
