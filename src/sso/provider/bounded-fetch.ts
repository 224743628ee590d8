import type { CustomFetch } from 'openid-client'
import { UpstreamError } from '../../errors.ts'

const LONGEST_ANSWER_BYTES = 1_048_576

/**
 * Fetches for openid-client, which sets no limit to an answer. Fifty answers at a time must fit into memory.
 * @throws UpstreamError while the body is read, if it is longer than 1 MiB.
 */
export const boundedFetch: CustomFetch = async (url, options) => {
  const answer = await fetch(url, options as RequestInit)
  let bytes = 0
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes <= LONGEST_ANSWER_BYTES) controller.enqueue(chunk)
      else controller.error(new UpstreamError('sso-provider', 'The answer of the identity provider is too long'))
    },
  })
  return new Response(answer.body?.pipeThrough(limit) ?? null, answer)
}
