import { crc32 } from 'node:zlib'
import type { Logo } from './brand.ts'

/** The format: PNG Specification (Third Edition), 5.3 "Chunk layout". */
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const MOST_PIXELS = 4096

/** @throws RangeError for a file that is damaged, not a PNG, too large, or longer than its picture. */
export function readPngLogo(content: Buffer): Logo {
  const chunks = chunksOf(content)
  const [header] = chunks
  if (header?.type !== 'IHDR' || header.data.length !== 13 || chunks.at(-1)?.type !== 'IEND') throw damaged()
  if (!chunks.some(({ type }) => type === 'IDAT')) throw damaged()
  const [width, height] = [header.data.readUInt32BE(0), header.data.readUInt32BE(4)]
  if (width < 1 || height < 1 || width > MOST_PIXELS || height > MOST_PIXELS) {
    throw new RangeError(`names a PNG of ${width} x ${height} pixels; a logo has at most ${MOST_PIXELS} each way`)
  }
  return { type: 'image/png', content, width, height }
}

interface Chunk {
  readonly type: string
  readonly data: Buffer
}

function chunksOf(content: Buffer): Chunk[] {
  if (!content.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw damaged()
  const chunks: Chunk[] = []
  for (let start = SIGNATURE.length; start < content.length; ) {
    if (content.length < start + 12) throw damaged()
    const end = start + 8 + content.readUInt32BE(start)
    if (content.length < end + 4) throw damaged()
    if (crc32(content.subarray(start + 4, end)) !== content.readUInt32BE(end)) throw damaged()
    chunks.push({ type: content.toString('latin1', start + 4, start + 8), data: content.subarray(start + 8, end) })
    start = end + 4
  }
  return chunks
}

function damaged(): RangeError {
  return new RangeError('names a file that is not a complete PNG. Export it again')
}
